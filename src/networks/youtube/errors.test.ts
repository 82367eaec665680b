import { afterAll, beforeAll, expect, test } from 'vitest'
import { windowAt } from '../connector/budget.ts'
import type { Fault } from '../connector/connector.ts'
import { problemOf, youtubeChannel } from './youtube.fixture.ts'

const now = new Date('2026-11-20T10:00:00Z')
const midnight = new Date('2026-11-21T08:00:00Z')
let channel: Awaited<ReturnType<typeof youtubeChannel>>
beforeAll(async () => {
  channel = await youtubeChannel({ clock: { now: () => now } })
})
afterAll(() => channel.close())

const refresh: Fault = { kind: 'token', remedy: 'refresh' }
const reconnect: Fault = { kind: 'token', remedy: 'reconnect' }
const permanent = (why: 'permission' | 'policy' | 'input' | 'gone' | 'config', field?: string): Fault =>
  field === undefined ? { kind: 'permanent', why } : { kind: 'permanent', why, field }
const throttled = (until: Date, scope: 'app' | 'actor' | 'endpoint'): Fault => ({ kind: 'throttled', until, scope })
const after = (milliseconds: number) => new Date(now.getTime() + milliseconds)

test.each<[status: number, reason: string, Fault]>([
  [401, 'authError', refresh],
  [401, 'somethingNew', refresh],
  [403, 'quotaExceeded', throttled(midnight, 'endpoint')],
  [403, 'dailyLimitExceeded', throttled(midnight, 'endpoint')],
  [400, 'uploadLimitExceeded', throttled(after(86_400_000), 'actor')],
  [403, 'insufficientPermissions', permanent('permission')],
  [403, 'forbidden', permanent('permission')],
  [403, 'somethingNew', permanent('permission')],
  [401, 'youtubeSignupRequired', reconnect],
  [403, 'accountClosed', reconnect],
  [403, 'accountSuspended', reconnect],
  [403, 'channelClosed', reconnect],
  [403, 'commentsDisabled', permanent('policy')],
  [403, 'ineligibleAccount', permanent('policy')],
  [403, 'parentCommentIsPrivate', permanent('policy')],
  [400, 'operationNotSupported', permanent('policy')],
  [400, 'invalidTitle', permanent('input', 'title')],
  [400, 'invalidDescription', permanent('input', 'text')],
  [400, 'invalidTags', permanent('input')],
  [400, 'invalidPublishAt', permanent('input')],
  [400, 'commentTextTooLong', permanent('input', 'text')],
  [400, 'mediaBodyRequired', permanent('input', 'media')],
  [400, 'constructor', permanent('input')],
  [400, 'processingFailure', { kind: 'retryable' }],
  [404, 'videoNotFound', permanent('gone')],
  [404, 'commentNotFound', permanent('gone')],
  [404, 'parentCommentNotFound', permanent('gone')],
  [403, 'accessNotConfigured', permanent('config')],
  [409, 'duplicate', { kind: 'duplicate' }],
  [500, 'somethingNew', { kind: 'retryable' }],
  [503, 'backendError', { kind: 'retryable' }],
])('%i %s says what to do next', async (status, reason, fault) => {
  const message = 'You have exceeded your <a href="/quota">quota</a>.'
  const body = { error: { code: status, message, errors: [{ domain: 'youtube.x', reason, message }], status: 'ANY' } }
  await channel.fault('profile', 'answer', { answer: { status, body } })
  const problem = await problemOf(channel.connector.profile(channel.actor))
  expect(problem.fault).toEqual(fault)
  expect(problem.message).toBe('YouTube: You have exceeded your quota.')
  expect(problem.remote).toEqual({ status, code: reason, subcode: 'youtube.x' })
})

test('rate-limited requests back off exponentially until one succeeds', async () => {
  const pauses: number[] = []
  const refused = async (reason: string) => {
    const body = { error: { code: 403, message: 'Slow down', errors: [{ reason }] } }
    await channel.fault('profile', 'answer', { answer: { status: 403, body } })
    const { fault } = await problemOf(channel.connector.profile(channel.actor))
    if (fault.kind === 'throttled') pauses.push(fault.until.getTime() - now.getTime())
    return fault
  }
  expect(await refused('rateLimitExceeded')).toMatchObject({ scope: 'app' })
  expect(await refused('userRateLimitExceeded')).toMatchObject({ scope: 'actor' })
  await refused('rateLimitExceeded')
  await channel.connector.profile(channel.actor)
  await refused('rateLimitExceeded')
  expect(pauses).toEqual([1000, 2000, 4000, 1000])
})

test('a response with a status but no reasons is classified too', async () => {
  const body = { error: { code: 401, message: 'Who?', status: 'UNAUTHENTICATED' } }
  await channel.fault('profile', 'answer', { answer: { status: 401, body } })
  expect((await problemOf(channel.connector.profile(channel.actor))).fault).toEqual(refresh)
})

test('the token is never part of a message', async () => {
  const actor = { ...channel.actor, secret: { ...channel.actor.secret, accessToken: 'top-secret' } }
  const problem = await problemOf(channel.connector.profile(actor))
  expect(problem.fault).toEqual(refresh)
  expect(JSON.stringify(problem)).not.toContain('top-secret')
})

test.each([
  ['2026-01-15T07:59:59Z', '2026-01-15T08:00:00Z', 'winter, a second before'],
  ['2026-01-15T08:00:00Z', '2026-01-16T08:00:00Z', 'winter, at midnight'],
  ['2026-07-15T12:00:00Z', '2026-07-16T07:00:00Z', 'summer'],
  ['2026-03-08T08:00:00Z', '2026-03-09T07:00:00Z', 'the day of 23 hours'],
  ['2026-11-01T07:00:00Z', '2026-11-02T08:00:00Z', 'the day of 25 hours'],
  ['2026-10-31T12:00:00Z', '2026-11-01T07:00:00Z', 'the day before the change'],
  ['2026-12-31T23:00:00Z', '2027-01-01T08:00:00Z', 'the end of the year'],
])('from %s the day ends at %s: %s', (at, end) => {
  expect(windowAt('pacificDay', new Date(at)).end).toEqual(new Date(end))
})
