import { afterAll, beforeAll, expect, test } from 'vitest'
import { simulatedUser, testReceiver } from '../../../sandbox/sandbox.fixture.ts'
import type { PushRequest } from '../connector/connector.ts'
import { draftOf, errorOf, linkedInSandbox } from './linkedin.fixture.ts'

let linkedIn: Awaited<ReturnType<typeof linkedInSandbox>>
let receiver: Awaited<ReturnType<typeof testReceiver>>
beforeAll(async () => {
  linkedIn = await linkedInSandbox()
  receiver = await testReceiver()
  receiver.answer = ({ method, query, headers, raw }) => {
    const verdict = linkedIn.connector.verifyPush({
      method: method as 'GET' | 'POST',
      query,
      headers: headers as PushRequest['headers'],
      raw: Buffer.from(raw),
      receivedAt: linkedIn.world.clock.now(),
    })
    return verdict.ok ? verdict.response : { status: verdict.status, body: verdict.reason }
  }
})
afterAll(async () => {
  await linkedIn.close()
  await receiver.close()
})

const request = (change: Partial<PushRequest>): PushRequest => ({
  method: 'POST',
  query: new URLSearchParams(),
  headers: {},
  raw: Buffer.alloc(0),
  receivedAt: linkedIn.world.clock.now(),
  ...change,
})

async function delivered(): Promise<PushRequest[]> {
  await linkedIn.connector.subscribePush(linkedIn.page, `${receiver.url}/push`)
  const { remoteId: postRemoteId } = await linkedIn.publish(linkedIn.page, draftOf(`Pushed ${receiver.pushes.length}`))
  const about = { network: 'LinkedIn', profile: '2414183', from: simulatedUser }
  const before = receiver.pushes.filter(({ method }) => method === 'POST').length
  const { remoteId: parentId } = await linkedIn.inject({ ...about, kind: 'comment', postRemoteId, text: 'So' })
  await linkedIn.inject({ ...about, kind: 'comment', postRemoteId, parentId, text: 'And so' })
  await linkedIn.inject({ ...about, kind: 'mention', text: 'Hey Acme' })
  await linkedIn.inject({ ...about, kind: 'message', text: 'Hello' })
  await receiver.next(before + 4)
  const posted = receiver.pushes.filter(({ method }) => method === 'POST').slice(before)
  return posted.map(({ headers, raw }) =>
    request({ headers: headers as PushRequest['headers'], raw: Buffer.from(raw) }),
  )
}

test('pushes are identical to polled activities', async () => {
  const pushed = (await delivered()).flatMap((push) => {
    const verdict = linkedIn.connector.verifyPush(push)
    return verdict.ok ? verdict.items : []
  })
  expect(pushed.map(({ kind }) => kind).sort()).toEqual(['comment', 'mention', 'message', 'reply'])
  expect(pushed.every(({ actorRemoteId }) => actorRemoteId === '2414183')).toBe(true)
  const { items } = await linkedIn.connector.fetchInbox(linkedIn.page)
  const keys = (list: { dedupeKey: string; kind: string }[]) => list.map((one) => `${one.kind} ${one.dedupeKey}`).sort()
  expect(keys(items)).toEqual(keys(pushed))
  const comment = pushed.find(({ kind }) => kind === 'comment')
  const below = await linkedIn.connector.fetchComments(linkedIn.page, comment?.postId ?? '')
  expect(below.items[0]).toMatchObject({ dedupeKey: comment?.dedupeKey, postId: comment?.postId, text: 'So' })
})

test('every changed byte of body or signature is rejected', async () => {
  const [push] = await delivered()
  if (!push) throw new Error('Nothing was delivered.')
  const verify = (change: Partial<PushRequest>) => linkedIn.connector.verifyPush({ ...push, ...change })
  expect(verify({})).toMatchObject({ ok: true, response: { status: 200 } })
  for (let index = 0; index < push.raw.length; index += 7) {
    const raw = Buffer.from(push.raw)
    raw[index] = (raw[index] ?? 0) ^ 1
    expect(verify({ raw })).toMatchObject({ ok: false, status: 401 })
  }
  const signature = push.headers['x-li-signature'] ?? ''
  for (let index = 0; index < signature.length; index++) {
    const changed = signature.slice(0, index) + (signature[index] === '0' ? '1' : '0') + signature.slice(index + 1)
    expect(verify({ headers: { 'x-li-signature': changed } })).toMatchObject({ ok: false, status: 401 })
  }
  for (const given of [undefined, '', signature.slice(1), `${signature}0`]) {
    expect(verify({ headers: { 'x-li-signature': given } })).toMatchObject({ ok: false, status: 401 })
  }
  for (const raw of [Buffer.concat([push.raw, Buffer.from(' ')]), push.raw.subarray(1), Buffer.alloc(0)]) {
    expect(verify({ raw })).toMatchObject({ ok: false, status: 401 })
  }
  expect(linkedIn.open({ clientSecret: 'other' }).verifyPush(push)).toMatchObject({ ok: false, status: 401 })
})

test.each([
  ['not JSON', 'hello', false],
  ['no notifications', '{"type":"X"}', false],
  ['only unknown notifications', '{"notifications":[{"action":"DANCE"},null,7]}', true],
])('a signed body with %s is handled', async (_, body, ok) => {
  const { createHmac } = await import('node:crypto')
  const sign = createHmac('sha256', linkedIn.linkedInApp.clientSecret).update(`hmacsha256=${body}`).digest('hex')
  const verdict = linkedIn.connector.verifyPush(
    request({ headers: { 'x-li-signature': sign }, raw: Buffer.from(body) }),
  )
  expect(verdict).toMatchObject(ok ? { ok, items: [] } : { ok, status: 400 })
})

test('the handshake signs challenge codes only, never a text that could be a delivery', () => {
  const handshake = (code?: string) =>
    linkedIn.connector.verifyPush(
      request({ method: 'GET', query: new URLSearchParams(code && { challengeCode: code }) }),
    )
  expect(handshake('890e4665-4dfe-4ab1-b689-ed553bceeed0')).toMatchObject({ ok: true })
  expect(handshake('hmacsha256={"notifications":[]}')).toMatchObject({ ok: false, status: 400 })
  expect(handshake()).toMatchObject({ ok: false, status: 400 })
})

test('members have no pushes', async () => {
  const error = await errorOf(linkedIn.connector.subscribePush(linkedIn.member, `${receiver.url}/push`))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'unsupported' })
})
