import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { draftOf, errorOf, linkedInSandbox } from './linkedin.fixture.ts'

let linkedIn: Awaited<ReturnType<typeof linkedInSandbox>>
beforeAll(async () => {
  linkedIn = await linkedInSandbox()
})
afterEach(() => linkedIn.forget())
afterAll(() => linkedIn.close())

const problem = (code: string, message: string, serviceErrorCode?: number) => ({ code, message, serviceErrorCode })
const field = (code: string, description: string, fieldPath: string) => ({
  message: description,
  errorDetails: { inputErrors: [{ code, description, input: { inputPath: { fieldPath } } }] },
})
const midnight = new Date('2026-11-21T00:00:00Z')
const inAMinute = new Date('2026-11-20T10:01:00Z')
const gateway = '<html>Bad gateway</html>'

/** LinkedIn's responses, and the fault for reads and for requests that can't be repeated. */
const table: [string, number, unknown, object, object?][] = [
  ['invalid token', 401, problem('INVALID_ACCESS_TOKEN', 'No', 65600), { kind: 'token', remedy: 'refresh' }],
  ['revoked token', 401, problem('REVOKED_ACCESS_TOKEN', 'No', 65601), { kind: 'token', remedy: 'reconnect' }],
  ['expired token', 401, problem('EXPIRED_ACCESS_TOKEN', 'No', 65602), { kind: 'token', remedy: 'refresh' }],
  ['any other 401', 401, {}, { kind: 'token', remedy: 'refresh' }],
  ['missing right', 403, problem('ACCESS_DENIED', 'No', 100), { kind: 'permanent', why: 'permission' }],
  ['gone', 404, problem('NOT_FOUND', 'No'), { kind: 'permanent', why: 'gone' }],
  ['bad field', 422, field('FIELD_X', 'Bad', '/a/b'), { kind: 'permanent', why: 'input', field: '/a/b' }],
  ['bad request', 400, problem('ILLEGAL_ARGUMENT', 'Bad'), { kind: 'permanent', why: 'input' }],
  ['dead version', 426, problem('NONEXISTENT_VERSION', 'Not active'), { kind: 'permanent', why: 'config' }],
  ['missing version', 400, problem('VERSION_MISSING', 'No version'), { kind: 'permanent', why: 'config' }],
  [
    'duplicate',
    422,
    field('DUPLICATE_POST', 'Content is a duplicate of urn:li:share:7001', '/commentary'),
    { kind: 'duplicate', of: 'urn:li:share:7001' },
  ],
  [
    'used up quota',
    429,
    problem(
      'TOO_MANY_REQUESTS',
      'Resource level throttle APPLICATION DAY limit for calls to this resource is reached.',
    ),
    { kind: 'throttled', until: midnight, scope: 'app' },
  ],
  [
    "a member's used up quota",
    429,
    problem('TOO_MANY_REQUESTS', 'Resource level throttle MEMBER DAY limit is reached.'),
    { kind: 'throttled', until: midnight, scope: 'actor' },
  ],
  ['burst', 429, problem('TOO_MANY_REQUESTS', 'Slow down'), { kind: 'throttled', until: inAMinute, scope: 'endpoint' }],
  ['server error', 500, problem('INTERNAL', 'Oops'), { kind: 'retryable' }, { kind: 'unknownOutcome' }],
  ['bad gateway', 502, gateway, { kind: 'retryable' }, { kind: 'unknownOutcome' }],
  ['unavailable', 503, gateway, { kind: 'retryable' }, { kind: 'unknownOutcome' }],
  ['gateway timeout', 504, '', { kind: 'retryable' }, { kind: 'unknownOutcome' }],
  ['another address', 302, '', { kind: 'retryable' }, { kind: 'unknownOutcome' }],
]

test.each(table)('%s (%i)', async (_, status, body, fault, publishFault = fault) => {
  await linkedIn.answer('posts', status, body, { 'x-li-uuid': 'AAY1' })
  const reading = await errorOf(linkedIn.connector.fetchStream(linkedIn.page, { type: 'page' }))
  expect(reading.fault).toEqual(fault)
  await linkedIn.answer('publish', status, body, { 'x-li-uuid': 'AAY1' })
  const writing = await errorOf(linkedIn.publish(linkedIn.page, draftOf(`Refused ${status}`)))
  expect(writing.fault).toEqual(publishFault)
  expect(writing.message).toMatch(/^LinkedIn: [^{<]+\.?$/)
  if (status >= 400) expect(writing.remote).toMatchObject({ status, requestId: 'AAY1' })
})

test('a retired version names the setting to change', async () => {
  const error = await errorOf(linkedIn.open({ apiVersion: '202501' }).profile(linkedIn.page))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'config' })
  expect(error.message).toContain('202501')
  expect(error.message).toContain('CHORUS_LINKEDIN_API_VERSION')
})

test('a profile without a refresh token has to reconnect', async () => {
  await linkedIn.fault('posts', 'token-expired')
  const { accessToken } = linkedIn.page.secret
  const bare = { ...linkedIn.page, secret: { accessToken, scopes: [] } }
  const error = await errorOf(linkedIn.connector.fetchStream(bare, { type: 'page' }))
  expect(error.fault).toEqual({ kind: 'token', remedy: 'reconnect' })
})

test.each([
  ['ten seconds', 10_000, { kind: 'retryable', afterMs: 5_000 }],
  ['a minute', 60_000, { kind: 'token', remedy: 'reconnect' }],
])('a token reported as revoked %s after it was issued is mapped to the expected fault', async (_, age, fault) => {
  const expiresAt = new Date(linkedIn.world.clock.now().getTime() - age + 60 * 86_400_000)
  const actor = { ...linkedIn.page, secret: { ...linkedIn.page.secret, expiresAt } }
  await linkedIn.fault('posts', 'token-revoked')
  expect((await errorOf(linkedIn.connector.fetchStream(actor, { type: 'page' }))).fault).toEqual(fault)
  await linkedIn.fault('publish', 'token-revoked')
  expect((await errorOf(linkedIn.publish(actor, draftOf(`Young ${age}`)))).fault).toEqual(fault)
})

test('a response without a post id leaves the outcome unknown', async () => {
  await linkedIn.answer('publish', 201, {})
  const error = await errorOf(linkedIn.publish(linkedIn.page, draftOf('Nameless')))
  expect(error.fault).toEqual({ kind: 'unknownOutcome' })
})

test('an upload URL of an unknown host is rejected without a request', async () => {
  const value = { uploadUrl: 'https://evil.example/steal', image: 'urn:li:image:1' }
  await linkedIn.answer('upload', 200, { value })
  const error = await errorOf(linkedIn.publish(linkedIn.page, draftOf('A', { media: [linkedIn.media('png')] })))
  expect(error.message).toContain('evil.example')
  expect(error.fault).toEqual({ kind: 'permanent', why: 'config' })
})
