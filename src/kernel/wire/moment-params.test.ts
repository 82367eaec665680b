import { expect, test } from 'vitest'
import { day, moment, momentOrNone } from './params.ts'

const iso = (raw: unknown) => moment.parse(raw).toISOString()
const problem = (raw: unknown) => moment.safeParse(raw).error?.issues[0]?.message

test('a moment is parsed in every format that clients send', () => {
  for (const raw of [
    '2026-08-31 09:30:00',
    '2026-08-31T09:30:00',
    '2026-08-31T09:30:00Z',
    '2026-08-31 09:30:00z',
    '2026-08-31T09:30',
    '2026-08-31T09:30:00.000Z',
    '2026-08-31T11:30:00+02:00',
    '2026-08-31T11:30:00 02:00',
    '2026-08-31 04:00:00-0530',
    ' 1788168600 ',
    1_788_168_600,
  ])
    expect(iso(raw), String(raw)).toBe('2026-08-31T09:30:00.000Z')
  expect([iso('2026-08-31'), iso('2024-02-29'), iso(0)]).toEqual([
    '2026-08-31T00:00:00.000Z',
    '2024-02-29T00:00:00.000Z',
    '1970-01-01T00:00:00.000Z',
  ])
  expect(iso('9999-12-31 23:59:59')).toBe(iso(253_402_300_799))
  expect(day.parse('2026-08-31T23:30:00-02:00').toISOString()).toBe('2026-09-01T00:00:00.000Z')
  expect([momentOrNone.parse(''), momentOrNone.parse('1970-01-01')]).toEqual([undefined, new Date(0)])
})

test('an invalid moment is refused with an example of a valid one', () => {
  for (const raw of [
    '',
    'tomorrow',
    '31.08.2026',
    '2026-8-31',
    '2026-08-31 9:30',
    '-1',
    '1.5',
    '2026-08-31T',
    '2026-08-31Z',
  ])
    expect(problem(raw), raw).toMatch(/^must be a moment, as YYYY-MM-DD/)
  for (const raw of ['2026-02-29', '2026-13-01', '2026-08-31 25:00:00', '2026-08-31 09:60:00', '0000-00-00 00:00:00'])
    expect(problem(raw), raw).toMatch(/that exists/)
  expect(problem(1_788_168_600_000)).toMatch(/^must be in seconds.*1788168600000 is more$/)
  expect(problem('9999-12-31T23:59:59-01:00')).toMatch(/year 9999/)
  expect(problem('2026-08-31T09:30:00+15:00')).toMatch(/offset/)
  expect(problem('9'.repeat(100_000))).toMatch(/^must be a moment/)
})
