import { expect, test } from 'vitest'
import { settingsList } from '#main/settings/settings.ts'
import { type Failure, readRetryAfter, waitAfter } from './retry.ts'

const second = 1000
const hour = 3600 * second
const { standard, read } = settingsList.CHORUS_WEBHOOK_WAITS
const waits = read(standard)
const failure = (more: Partial<Failure> = {}): Failure => ({
  status: 500,
  timedOut: false,
  retryAfter: undefined,
  ...more,
})
const [earliest, middle, latest] = [() => 0, () => 0.5, () => 1]

test('ten attempts are spread over three days and a little more', () => {
  const steps = Array.from({ length: 9 }, (_, index) => waitAfter(index + 1, failure(), waits, middle) as number)
  expect(steps.map((step) => step / second)).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
  expect(steps.reduce((sum, step) => sum + step, 0)).toBe(75 * hour + 35 * 60 * second + 5 * second)
  expect(waitAfter(10, failure(), waits)).toBeUndefined()
})

test('every wait is spread by a fifth either way', () => {
  for (const [index, wait] of waits.entries()) {
    expect(waitAfter(index + 1, failure(), waits, earliest)).toBeCloseTo(wait * 0.8)
    expect(waitAfter(index + 1, failure(), waits, latest)).toBeCloseTo(wait * 1.2)
  }
})

test('a receiver that is overwhelmed is left alone for a minute at least', () => {
  for (const status of [429, 502, 504]) expect(waitAfter(1, failure({ status }), waits, middle)).toBe(60 * second)
  expect(waitAfter(1, failure({ status: 0, timedOut: true }), waits, middle)).toBe(60 * second)
  expect(waitAfter(1, failure({ status: 503 }), waits, middle)).toBe(5 * second)
  expect(waitAfter(2, failure({ status: 429 }), waits, middle)).toBe(300 * second)
})

test('what the receiver asks for is honoured up to twice the wait', () => {
  const asked = (retryAfter: number) => waitAfter(2, failure({ retryAfter }), waits, middle)
  expect(asked(10 * second)).toBe(300 * second)
  expect(asked(400 * second)).toBe(400 * second)
  expect(asked(24 * hour)).toBe(600 * second)
})

test('Retry-After is read as seconds or as a date; nonsense is nothing', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  expect(readRetryAfter('120', now)).toBe(120 * second)
  expect(readRetryAfter('Sun, 01 Mar 2026 12:05:00 GMT', now)).toBe(300 * second)
  for (const nonsense of [undefined, '', 'soon', '-5', 'Sun, 01 Mar 2026 11:00:00 GMT', '1e9', '99999999999'])
    expect(readRetryAfter(nonsense, now)).toBeUndefined()
})
