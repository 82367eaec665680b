import { expect, test } from 'vitest'
import {
  addDays,
  addMonths,
  dayAt,
  dayLength,
  formatTimestamp,
  isDay,
  parseTimestamp,
  startOf,
  timeZoneClock,
  weekOf,
  weeksOfMonth,
} from './days.ts'

const at = (text: string) => Date.parse(text)
const year = { from: at('2027-01-01T00:00:00Z'), until: at('2028-01-01T00:00:00Z') }
const clockOf = (zone: string) => timeZoneClock(zone, year.from, year.until)

/** The wall time according to Intl. */
function wallTimeOf(zone: string, moment: number): string {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(
    moment,
  )
  return text.replace(' ', 'T')
}

test('wall times match Intl.DateTimeFormat in every time zone', () => {
  let seed = 7
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    // As long as the range of a month view, at a random position in the year.
    const from = year.from + random() * (year.until - year.from)
    const clock = timeZoneClock(zone, from, from + 42 * dayLength)
    for (let attempt = 0; attempt < 6; attempt++) {
      const moment = Math.floor((from + random() * 42 * dayLength) / 1000) * 1000
      const wall = clock.wall(moment)
      expect(new Date(wall).toISOString().slice(0, 19), zone).toBe(wallTimeOf(zone, moment))
      expect(Math.abs(clock.moment(wall) - moment), `${zone} and back`).toBeLessThan(2 * 3_600_000)
      expect(clock.wall(clock.moment(wall)), `${zone} and back`).toBe(wall)
    }
  }
})

test('a skipped local time resolves to the instant after the gap, a repeated one to the first occurrence', () => {
  const berlin = clockOf('Europe/Berlin')
  expect(new Date(berlin.moment(at('2027-03-28T02:30:00Z'))).toISOString()).toBe('2027-03-28T01:00:00.000Z')
  expect(new Date(berlin.moment(at('2027-10-31T02:30:00Z'))).toISOString()).toBe('2027-10-31T00:30:00.000Z')
  const hovering = clockOf('Australia/Lord_Howe')
  expect(new Date(hovering.moment(at('2027-10-03T02:15:00Z'))).toISOString()).toBe('2027-10-02T15:30:00.000Z')
})

test('days start at local midnight, also days of 23 and 25 hours', () => {
  const berlin = clockOf('Europe/Berlin')
  const lengths = ['2027-03-28', '2027-06-01', '2027-10-31'].map(
    (day) => (startOf(berlin, addDays(day, 1)) - startOf(berlin, day)) / 3_600_000,
  )
  expect(lengths).toEqual([23, 24, 25])
  expect(dayAt(berlin, at('2027-06-01T21:59:00Z'))).toBe('2027-06-01')
  expect(dayAt(berlin, at('2027-06-01T22:00:00Z'))).toBe('2027-06-02')
  // There the daylight saving change skips midnight itself.
  const santiago = clockOf('America/Santiago')
  expect(dayAt(santiago, startOf(santiago, '2027-09-05'))).toBe('2027-09-05')
})

test('date arithmetic does not depend on a time zone', () => {
  expect([addDays('2028-02-28', 1), addMonths('2027-01-31', 1), addMonths('2028-03-31', -1)]).toEqual([
    '2028-02-29',
    '2027-02-28',
    '2028-02-29',
  ])
  expect([weekOf('2027-03-03'), weekOf('2027-03-03', 6)]).toEqual(['2027-03-01', '2027-02-28'])
  const weeks = weeksOfMonth('2027-03-15')
  expect([weeks.length, weeks[0]?.[0], weeks.at(-1)?.[6]]).toEqual([5, '2027-03-01', '2027-04-04'])
  expect(['2027-02-29', '2027-13-01', 'x', '2027-02-28'].map(isDay)).toEqual([false, false, false, true])
})

test('timestamps of the API are parsed as UTC', () => {
  expect(formatTimestamp(parseTimestamp('2026-08-31 09:30:00'))).toBe('2026-08-31 09:30:00')
  expect(parseTimestamp('2026-08-31 09:30:00') % dayLength).toBe(9.5 * 3_600_000)
})
