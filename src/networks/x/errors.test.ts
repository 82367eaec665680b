import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Fault } from '../connector/connector.ts'
import { errorOf, testX } from './x.fixture.ts'

let t: Awaited<ReturnType<typeof testX>>
beforeAll(async () => {
  t = await testX()
})
afterAll(() => t.sandbox.close())

const types = 'https://api.x.com/2/problems/'
const problem = (type: string, detail = 'In plain words') => ({ title: 'Title', detail, type: `${types}${type}` })
const blank = (detail: string) => ({ title: 'Forbidden', detail, type: 'about:blank', status: 403 })
const why = (reason: string) => ({ kind: 'permanent', why: reason }) as Fault
const reset = { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '4000000000' }
const until = new Date(4_000_000_000_000)
const anyDate = expect.any(Date)

test.each<[number, object, object, object]>([
  [401, { title: 'Unauthorized' }, {}, { kind: 'token', remedy: 'refresh' }],
  [403, blank('You are not allowed to create a Tweet with duplicate content.'), {}, { kind: 'duplicate' }],
  [403, blank('Forbidden'), {}, why('permission')],
  [403, blank('You are not permitted to perform this action.'), {}, why('policy')],
  [403, problem('client-forbidden'), {}, why('permission')],
  [403, problem('unsupported-authentication'), {}, why('permission')],
  [403, problem('not-authorized-for-resource'), {}, why('policy')],
  [403, { ...problem('usage-capped'), period: 'Monthly' }, {}, { kind: 'throttled', scope: 'app', until: anyDate }],
  [429, { ...problem('usage-capped'), period: 'Daily' }, {}, { kind: 'throttled', scope: 'app', until: anyDate }],
  [402, problem('credits'), {}, { kind: 'throttled', scope: 'app', until: anyDate }],
  [429, problem('rate-limit-exceeded'), reset, { kind: 'throttled', scope: 'endpoint', until }],
  [
    400,
    { errors: [{ code: 88, message: 'Rate limit exceeded' }] },
    reset,
    { kind: 'throttled', scope: 'endpoint', until },
  ],
  [
    429,
    problem('rate-limit-exceeded'),
    { ...reset, 'x-user-limit-24hour-remaining': '0', 'x-user-limit-24hour-reset': '4100000000' },
    { kind: 'throttled', scope: 'actor', until: new Date(4_100_000_000_000) },
  ],
  [429, {}, {}, { kind: 'throttled', scope: 'endpoint', until: anyDate }],
  [400, problem('invalid-request'), {}, why('input')],
  [400, { errors: [{ message: 'In plain words' }] }, {}, why('input')],
  [404, problem('resource-not-found'), {}, why('gone')],
  [200, { errors: [problem('resource-not-found')] }, {}, why('gone')],
  [200, { errors: [problem('not-authorized-for-resource')] }, {}, why('policy')],
  [500, { title: 'Internal' }, {}, { kind: 'retryable' }],
  [503, problem('internal-error'), {}, { kind: 'retryable' }],
])('status %i with %j is mapped to the expected fault', async (status, body, headers, fault) => {
  await t.fault({ operation: 'profile', fault: 'answer', answer: { status, body, headers } })
  const error = await errorOf(t.x.profile(t.actor))
  expect(error.fault).toEqual(fault)
  expect(error.remote.status).toBe(status)
  expect(error.message).not.toMatch(/[{}]|sandbox-twitter/)
})

test('an exhausted plan is throttled until its period ends', async () => {
  const response = { status: 403, body: { ...problem('usage-capped'), period: 'Monthly' } }
  await t.fault({ operation: 'profile', fault: 'answer', answer: response })
  const { fault } = await errorOf(t.x.profile(t.actor))
  const end = fault.kind === 'throttled' ? fault.until : new Date(0)
  expect(end.getTime()).toBeGreaterThan(Date.now())
  expect([end.getUTCDate(), end.getUTCHours()]).toEqual([1, 0])
})

test('a rejection carries X’s message, type and code', async () => {
  const response = {
    status: 400,
    headers: { 'x-transaction-id': 'abc' },
    body: { ...problem('invalid-request', 'Vague'), errors: [{ message: 'The text is missing.' }] },
  }
  await t.fault({ operation: 'profile', fault: 'answer', answer: response })
  const error = await errorOf(t.x.profile(t.actor))
  expect(error.message).toBe('Twitter: The text is missing.')
  expect(error.remote).toEqual({ status: 400, code: 'invalid-request', requestId: 'abc' })
})
