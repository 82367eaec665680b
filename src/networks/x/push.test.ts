import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Pushed, testReceiver } from '../../../sandbox/sandbox.fixture.ts'
import type { PushRequest } from '../connector/connector.ts'
import { faultOf, robin, testX } from './x.fixture.ts'

let t: Awaited<ReturnType<typeof testX>>
let receiver: Awaited<ReturnType<typeof testReceiver>>
beforeAll(async () => {
  t = await testX()
  receiver = await testReceiver()
  receiver.answer = (push) => {
    const verdict = t.x.verifyPush(requestOf(push))
    return verdict.ok ? verdict.response : { status: verdict.status, body: '' }
  }
})
afterAll(async () => {
  await t.sandbox.close()
  await receiver.close()
})

const requestOf = ({ method, query, headers, raw }: Pushed): PushRequest => ({
  method: method as 'GET' | 'POST',
  query,
  headers: headers as Record<string, string>,
  raw: Buffer.from(raw),
  receivedAt: new Date(),
})

const signature = (raw: string) => `sha256=${createHmac('sha256', t.app.clientSecret).update(raw).digest('base64')}`

const verdictOn = (raw: string, headers: Record<string, string> = { 'x-twitter-webhooks-signature': signature(raw) }) =>
  t.x.verifyPush({
    method: 'POST',
    query: new URLSearchParams(),
    headers,
    raw: Buffer.from(raw),
    receivedAt: new Date(),
  })

test('pushes are identical to polled activities', async () => {
  const callback = `${receiver.url}/push`
  await t.x.subscribePush(t.actor, callback)
  await t.x.subscribePush(t.actor, callback)
  const post = await t.post({ text: 'Start' })
  const comment = await t.inject({ kind: 'reply', postRemoteId: post, text: 'Nice & <new>' })
  const mention = await t.inject({ kind: 'mention', text: 'I like @northwindoutdoor, see https://robin.example/a' })
  const message = await t.inject({ kind: 'message', text: 'Hi' })
  const own = await t.x.message(t.actor, { personId: robin.id }, 'Hello', [])
  await receiver.next(5)
  const pushed = receiver.pushes
    .filter(({ method }) => method === 'POST')
    .flatMap((push) => {
      const verdict = t.x.verifyPush(requestOf(push))
      return verdict.ok ? verdict.items : []
    })
  const [first, ...others] = pushed
  expect(first).toMatchObject({ kind: 'post', remoteId: post, dedupeKey: `post:${post}` })
  const polled = (await t.x.fetchInbox(t.actor)).items.reverse()
  const told = ({ dedupeKey, kind, from, text, postId, threadId, at }: (typeof polled)[number]) => ({
    dedupeKey,
    kind,
    text,
    postId,
    threadId,
    at,
    from: from?.username,
  })
  expect(others.map(told)).toEqual(polled.map(told))
  expect(polled.map(({ remoteId }) => remoteId)).toEqual([
    comment.remoteId,
    mention.remoteId,
    message.remoteId,
    own.remoteId,
  ])
})

test('the callback URL is registered once, and again when X has invalidated it', async () => {
  const bearer = { token: 'sandbox-x-app-bearer' }
  const count = async () => (await t.sandbox.call('/x/2/activity/subscriptions', bearer)).body.data.length
  const before = await count()
  await t.x.subscribePush(t.actor, `${receiver.url}/push`)
  expect(await count()).toBe(before)
  expect((await t.sandbox.call('/x/2/webhooks', bearer)).body.data).toHaveLength(1)
  const unreachableUrl = `${receiver.url}/missing`
  expect(await faultOf(t.x.subscribePush(t.actor, unreachableUrl))).toEqual({ kind: 'permanent', why: 'input' })
})

test('the challenge is signed with the app secret, or with the secret of a separate key pair', async () => {
  const challenge = requestOf({ method: 'GET', query: new URLSearchParams({ crc_token: 'abc' }), headers: {}, raw: '' })
  const verdict = t.x.verifyPush(challenge)
  expect(verdict.ok && JSON.parse(verdict.response.body)).toEqual({ response_token: signature('abc') })
  expect(t.x.verifyPush({ ...challenge, query: new URLSearchParams() })).toMatchObject({ ok: false, status: 400 })
  const { openX } = await import('./x.ts')
  const other = openX({ ...t.app, options: { consumerSecret: 'other' } }, t.sandbox.world).verifyPush(challenge)
  const expected = createHmac('sha256', 'other').update('abc').digest('base64')
  expect(other.ok && other.response.body).toContain(expected)
})

test('only challenge tokens are signed for unauthenticated requests, and a signed token is not accepted as a delivery', () => {
  const handshake = (crc_token: string) =>
    t.x.verifyPush(requestOf({ method: 'GET', query: new URLSearchParams({ crc_token }), headers: {}, raw: '' }))
  // A UUID in base64, as X sends it, and other base64 forms.
  for (const token of ['M2RkODJkZmMtYjlkYi00NmQ4LTk0MGUtM2JjYzkwM2Q4MjQ0', 'YWJj-_8', 'YWJj+/8=']) {
    expect(handshake(token)).toMatchObject({ ok: true, items: [] })
    expect(verdictOn(token)).toMatchObject({ ok: false, status: 400, reason: expect.stringContaining('challenge') })
  }
  const event = JSON.stringify({ data: { event_type: 'post.delete', filter: { user_id: '1' }, payload: { id: '5' } } })
  for (const text of [event, '{}', '', 'two words', 'Grüße', 'x'.repeat(257)])
    expect(handshake(text)).toMatchObject({ ok: false, status: 400 })
})

test('an unsigned request is rejected', () => {
  const raw = JSON.stringify({ data: { event_type: 'post.delete', filter: { user_id: '1' }, payload: { id: '5' } } })
  const good = signature(raw)
  expect(verdictOn(raw)).toMatchObject({ ok: true, items: [{ kind: 'removed', dedupeKey: 'removed:5' }] })
  for (let index = 0; index < raw.length; index++) {
    const changed = raw.slice(0, index) + String.fromCharCode(raw.charCodeAt(index) ^ 1) + raw.slice(index + 1)
    expect(verdictOn(changed, { 'x-twitter-webhooks-signature': good })).toMatchObject({ ok: false, status: 403 })
  }
  const forgeries = [
    good.slice(0, -1),
    `${good}=`,
    good.slice(7),
    good.toUpperCase(),
    'sha256=',
    `sha1=${good.slice(7)}`,
  ]
  for (const forged of forgeries) {
    expect(verdictOn(raw, { 'x-twitter-webhooks-signature': forged })).toMatchObject({ ok: false, status: 403 })
  }
  expect(verdictOn(raw, {})).toMatchObject({ ok: false, status: 401, reason: expect.any(String) })
  for (const unreadable of ['', '{', '[]', '{"data":{}}']) {
    expect(verdictOn(unreadable)).toMatchObject({ ok: false, status: 400 })
  }
})

test('likes, reposts and revoked logins are parsed in X’s documented format', () => {
  const filter = { user_id: '11' }
  const items = (data: object) => {
    const verdict = verdictOn(JSON.stringify({ data: { event_uuid: 'u', filter, ...data } }))
    return verdict.ok ? verdict.items : []
  }
  const like = { id: 'l1', timestamp_ms: '1784927565236', liked_tweet_id: '5', liked_tweet_author_id: '11' }
  const users = [{ data: { id: '22', username: 'robinreads' } }]
  expect(items({ event_type: 'like.create', payload: like, includes: { users } })).toMatchObject([
    { kind: 'reaction', postId: '5', from: { id: '22', username: 'robinreads' }, at: new Date(1_784_927_565_236) },
  ])
  const repost = { id: '6', author_id: '22', text: 'RT', referenced_tweets: [{ type: 'retweeted', id: '5' }] }
  expect(items({ event_type: 'post.repost.create', payload: repost })).toMatchObject([{ kind: 'share', remoteId: '6' }])
  const revoke = { user_id: '11', app_id: '1', date_time: '2026-07-23T21:44:05+00:00' }
  expect(items({ event_type: 'oauth.revoke', filter: {}, payload: revoke })).toMatchObject([
    { kind: 'revoked', actorRemoteId: '11' },
  ])
  expect(items({ event_type: 'spaces.start', payload: { id: '7' } })).toEqual([])
})
