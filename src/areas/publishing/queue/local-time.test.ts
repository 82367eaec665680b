import { expect, test } from 'vitest'
import { hour, leaps, minute, readings } from './clock-reading.fixture.ts'
import { momentOf } from './local-time.ts'

/** Edge cases: half hours, two hours, changes at midnight and before it, negative daylight saving time, Ramadan, a missing day. */
const sample: [string, number][] = [
  'Europe/Berlin',
  'Europe/Dublin',
  'America/New_York',
  'America/Santiago',
  'America/Havana',
  'America/Nuuk',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Asia/Beirut',
  'Africa/Cairo',
  'Asia/Jerusalem',
  'Africa/Casablanca',
  'Pacific/Chatham',
  'Pacific/Easter',
  'America/St_Johns',
].map((name) => [name, 2026])
sample.push(['Pacific/Apia', 2011], ['Asia/Pyongyang', 2018], ['America/St_Johns', 2010], ['America/Caracas', 2007])
sample.push(['Africa/Monrovia', 1972], ['Pacific/Kwajalein', 1993], ['Asia/Kathmandu', 1986])

test.each(sample)('every minute around an offset change matches a formatted clock: %s %i', (name, year) => {
  const changes = leaps(name, Date.UTC(year, 0, 1) - 12 * hour, Date.UTC(year + 1, 0, 1))
  expect(changes.length).toBeGreaterThan(0)
  for (const change of changes) {
    // Liberia's offset was 44 minutes and 30 seconds behind UTC.
    const clock = readings(name, change - 26 * hour, change + 50 * hour, year === 1972 ? minute / 2 : minute)
    const before = clock.shown.get(change - minute) as number
    const midnight = before - (((before % (24 * hour)) + 24 * hour) % (24 * hour))
    const wrong: string[] = []
    for (let minutes = 0; minutes < 1440; minutes++) {
      for (const start of [midnight, midnight + 24 * hour]) {
        const wall = new Date(start)
        const day = { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate() }
        const moment = momentOf(day, minutes, name).getTime()
        if (moment !== clock.momentOf(start + minutes * minute)) wrong.push(`${wall.toISOString()} + ${minutes}`)
      }
    }
    expect(wrong).toEqual([])
  }
})
