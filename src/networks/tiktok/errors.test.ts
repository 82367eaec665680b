import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { faultOf, openTestTikTok } from './tiktok.fixture.ts'

let sandbox: Awaited<ReturnType<typeof openTestTikTok>>
beforeAll(async () => {
  sandbox = await openTestTikTok()
})
beforeEach(() => sandbox.control('/reset', {}))
afterAll(() => sandbox.close())

const responseWith = (code: number, message: string, status = 200) => ({
  answer: { status, body: JSON.stringify({ code, message, request_id: 'r-1', data: {} }) },
})

const permanent = (why: string) => ({ kind: 'permanent', why })
const token = (remedy: string) => ({ kind: 'token', remedy })

test.each([
  [40001, permanent('permission')],
  [40002, permanent('input')],
  [40050, { kind: 'duplicate' }],
  [40102, token('refresh')],
  [40103, token('reconnect')],
  [40104, token('refresh')],
  [40105, token('refresh')],
  [40107, token('reconnect')],
  [40110, token('reconnect')],
  [40113, permanent('config')],
  [40130, permanent('permission')],
  [40999, permanent('input')],
  [50000, { kind: 'retryable' }],
  [50002, { kind: 'retryable' }],
  [51065, { kind: 'retryable' }],
])('code %i of a read request is mapped to a fault with TikTok’s message', async (code, expected) => {
  const { tiktok, actor, fault } = sandbox
  await fault('metrics', 'answer', responseWith(code, 'Their words.'))
  const error = await faultOf(tiktok.metrics(actor, ['1']))
  expect(error.fault).toEqual(expected)
  expect(error.message).toBe('TikTok: Their words.')
  expect(error.remote).toEqual({ status: 200, code: String(code), requestId: 'r-1' })
})

test.each([50000, 51065, 60001])('code %i of a publish request leaves the outcome unknown', async (code) => {
  const { tiktok, actor, draft, fault } = sandbox
  await fault('publish', 'answer', responseWith(code, 'Oops.'))
  const error = await faultOf(tiktok.publish(actor, draft('Open'), async () => {}))
  expect(error.fault).toEqual({ kind: 'unknownOutcome' })
})

const next = (time: number, step: number) => Math.floor(time / step) * step + step
test.each([
  [40100, 'Too many requests: the qps limit is reached.', 'app', (now: number) => now + 1000],
  [40100, 'Too many requests: the qpm limit is reached.', 'actor', (now: number) => now + 300_000],
  [40100, 'Too many requests: the QPD limit is reached.', 'app', (now: number) => next(now, 86_400_000)],
  [40016, 'Too many requests.', 'actor', (now: number) => now + 60_000],
  [40133, 'Too many requests.', 'actor', (now: number) => now + 60_000],
])('code %i (%s) determines the retry delay', async (code, message, scope, until) => {
  const { tiktok, actor, draft, fault } = sandbox
  await fault('publish', 'answer', responseWith(code, message))
  const { fault: made } = await faultOf(tiktok.publish(actor, draft('Slow'), async () => {}))
  if (made.kind !== 'throttled') throw new Error(made.kind)
  expect(made.scope).toBe(scope)
  expect(Math.abs(made.until.getTime() - until(Date.now()))).toBeLessThan(60_000)
})

test.each(['token-expired', 'token-revoked'])('a %s of an account leads to a token refresh', async (kind) => {
  const { tiktok, actor, draft, fault } = sandbox
  for (const [operation, call] of [
    ['publish', () => tiktok.publish(actor, draft('T'), async () => {})],
    ['profile', () => tiktok.profile(actor)],
    ['metrics', () => tiktok.metrics(actor, ['1'])],
  ] as const) {
    await fault(operation, kind)
    expect((await faultOf(call())).fault).toEqual(token('refresh'))
  }
  await fault('token', kind)
  expect((await faultOf(tiktok.refreshToken(actor))).fault).toEqual(token('reconnect'))
})

test('an app that TikTok rejects is a configuration error', async () => {
  const { tiktok, actor, fault } = sandbox
  await fault('token', 'answer', responseWith(40001, 'client_id or client_secret is incorrect.'))
  expect((await faultOf(tiktok.refreshToken(actor))).fault).toEqual(permanent('config'))
  await fault('token', 'answer', responseWith(40105, 'Not valid.'))
  expect((await faultOf(tiktok.refreshToken(actor))).fault).toEqual(token('reconnect'))
})

test('a response in an unknown format is an error, classified by its HTTP status if there is no code', async () => {
  const { tiktok, actor, fault } = sandbox
  const answers: [number, string, object][] = [
    [200, '<html>Maintenance</html>', { kind: 'retryable' }],
    [200, '{"ok":true}', { kind: 'retryable' }],
    [503, '<html>', { kind: 'retryable' }],
    [404, '', permanent('gone')],
    [403, 'no', permanent('permission')],
  ]
  for (const [status, body, expected] of answers) {
    await fault('metrics', 'answer', { answer: { status, body } })
    expect((await faultOf(tiktok.metrics(actor, ['1']))).fault).toEqual(expected)
  }
})
