import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { PushRequest } from '../connector/connector.ts'
import { commentActivity } from '../facebook/activities.ts'
import { openFacebook } from '../facebook/facebook.ts'
import { openInstagram } from '../instagram/instagram.ts'
import { manifestOf } from '../manifests.ts'

const installation = { outbound: openOutbound({ allow: [] }), clock: systemClock }
const networks = [
  [
    'Facebook',
    openFacebook,
    {
      object: 'page',
      field: 'feed',
      value: { item: 'comment', verb: 'add', comment_id: '1_2', post_id: '7_1', from: { id: '9' } },
    },
  ],
  [
    'Instagram',
    openInstagram,
    { object: 'instagram', field: 'comments', value: { id: '2', media: { id: '1' }, from: { id: '9' } } },
  ],
] as const

test('a comment has the same dedupe key with the id prefix of its post or of its photo', () => {
  const [underPost, underPicture] = ['1_2', '5_2'].map(
    (id) => commentActivity(sandboxActor('Facebook'), '7_1', { id })[0]?.dedupeKey,
  )
  expect(underPost).toBe(underPicture)
})

test('an Instagram delivery signed by the Meta app is accepted if its secret is set', () => {
  const raw = Buffer.from(JSON.stringify({ object: 'instagram', entry: [] }))
  const signed = (secret: string) => `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`
  const statusOf = (options: { appSecret?: string }, secret: string) => {
    const app = { ...manifestOf('Instagram').app, clientId: '1', clientSecret: 'instagram', options }
    const headers = { 'x-hub-signature-256': signed(secret) }
    const request = {
      method: 'POST',
      query: new URLSearchParams(),
      headers,
      raw,
      receivedAt: systemClock.now(),
    } as const
    const verdict = openInstagram(app, installation).verifyPush(request)
    return verdict.ok ? 200 : verdict.status
  }
  expect(statusOf({}, 'instagram')).toBe(200)
  expect(statusOf({}, 'meta')).toBe(401)
  expect(statusOf({ appSecret: 'meta' }, 'meta')).toBe(200)
  expect(statusOf({ appSecret: 'meta' }, 'instagram')).toBe(200)
  expect(statusOf({ appSecret: '' }, '')).toBe(401)
})

describe.each(networks)('%s', (network, open, { object, field, value }) => {
  const app = { ...manifestOf(network).app, clientId: '1', clientSecret: 'a secret', options: {} }
  const connector = open(app, installation)
  const body = Buffer.from(
    JSON.stringify({ object, entry: [{ id: '7', time: 1_800_000_000, changes: [{ field, value }] }] }),
  )
  const sign = (raw: Buffer) => `sha256=${createHmac('sha256', app.clientSecret).update(raw).digest('hex')}`
  const push = (raw: Buffer, signature: string | undefined = sign(raw), more: Partial<PushRequest> = {}) =>
    connector.verifyPush({
      method: 'POST',
      query: new URLSearchParams(),
      headers: { 'x-hub-signature-256': signature },
      raw,
      receivedAt: systemClock.now(),
      ...more,
    })
  const handshake = (query: Record<string, string>) =>
    push(Buffer.alloc(0), '', { method: 'GET', query: new URLSearchParams(query) })

  test('a signed delivery is accepted and parsed', () => {
    const verdict = push(body)
    expect(verdict).toMatchObject({
      ok: true,
      response: { status: 200 },
      items: [{ dedupeKey: 'comment:2', actorRemoteId: '7' }],
    })
    if (verdict.ok) expect(verdict.items[0]?.at).toEqual(new Date(1_800_000_000_000))
  })

  test('a body with any changed, added or missing byte is rejected', () => {
    for (let index = 0; index < body.length; index += 1) {
      const changed = Buffer.from(body)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(push(changed, sign(body))).toMatchObject({ ok: false, status: 401 })
    }
    expect(push(body.subarray(1), sign(body)).ok).toBe(false)
    expect(push(Buffer.concat([body, Buffer.from(' ')]), sign(body)).ok).toBe(false)
  })

  test('a signature with any changed character, and every other kind of signature, is rejected', () => {
    const right = sign(body)
    for (let index = 0; index < right.length; index += 1) {
      const wrong = `${right.slice(0, index)}${right[index] === '0' ? '1' : '0'}${right.slice(index + 1)}`
      expect(push(body, wrong)).toMatchObject({ ok: false, status: 401 })
    }
    const sha1 = `sha1=${createHmac('sha1', app.clientSecret).update(body).digest('hex')}`
    const others = ['', right.slice(7), right.toUpperCase(), `${right}0`, right.slice(0, -1), sha1]
    for (const other of others) expect(push(body, other).ok).toBe(false)
    expect(push(body, right, { headers: {} })).toMatchObject({ ok: false, status: 401 })
  })

  test('a signed but unreadable body is a bad request, and unused entries are ignored', () => {
    for (const text of ['', 'no json', '[]', '{}', 'null', '"page"'])
      expect(push(Buffer.from(text))).toMatchObject({ ok: false, status: 400 })
    const unusedEntry = {
      object,
      entry: [null, 'x', {}, { changes: [null, { field }, { field: 'other', value }], messaging: [3] }],
    }
    expect(push(Buffer.from(JSON.stringify(unusedEntry)))).toMatchObject({ ok: true, items: [] })
    expect(
      push(Buffer.from(JSON.stringify({ object: 'user', entry: [{ changes: [{ field, value }] }] }))),
    ).toMatchObject({ ok: true, items: [] })
  })

  test('a handshake with the verify token returns its challenge, any other is rejected', () => {
    const token = createHmac('sha256', app.clientSecret).update('push verify token').digest('hex')
    const right = { 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '1158201444' }
    expect(handshake(right)).toMatchObject({
      ok: true,
      response: { status: 200, type: 'text/plain', body: '1158201444' },
    })
    for (const challenge of ['', '<b>12</b>', '{"object":"page"}', 'two words', 'x'.repeat(257)])
      expect(handshake({ ...right, 'hub.challenge': challenge })).toMatchObject({ ok: false, status: 400 })
    expect(handshake({ ...right, 'hub.verify_token': `${token.slice(0, -1)}x` })).toMatchObject({
      ok: false,
      status: 403,
    })
    expect(handshake({ 'hub.mode': 'subscribe', 'hub.challenge': '1' })).toMatchObject({ ok: false, status: 403 })
    expect(handshake({ ...right, 'hub.mode': 'unsubscribe' })).toMatchObject({ ok: false, status: 400 })
    expect(handshake({})).toMatchObject({ ok: false, status: 400 })
  })
})
