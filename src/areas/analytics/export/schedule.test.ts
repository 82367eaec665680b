import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { localOf } from '#areas/publishing/queue/local-time.ts'
import { zoneNames } from '#areas/publishing/queue/zone-names.fixture.ts'
import { csvLine } from '#kernel/csv.ts'
import { frequencies, nextRun, rangeOf, timeRanges } from './schedule.ts'

const zone = fc.constantFrom(...zoneNames())
const time = fc.date({ min: new Date('2000-01-01'), max: new Date('2037-12-31'), noInvalidDate: true })
const day = 24 * 60 * 60 * 1000

test('the next run is on the right day and hour in every zone, and none is skipped', () => {
  const schedule = fc.record({
    frequency: fc.constantFrom(...frequencies),
    weekday: fc.integer({ min: 0, max: 6 }),
    monthDay: fc.integer({ min: 1, max: 28 }),
    hour: fc.integer({ min: 0, max: 23 }),
    timezone: zone,
  })
  fc.assert(
    fc.property(schedule, time, (plan, after) => {
      const next = nextRun(plan, after)
      const local = localOf(next, plan.timezone)
      const longest = { daily: 1, weekly: 7, monthly: 31 }[plan.frequency]
      expect(next.getTime()).toBeGreaterThan(after.getTime())
      // Clock changes skip or repeat up to a day.
      expect(next.getTime() - after.getTime()).toBeLessThanOrEqual((longest + 1.1) * day)
      if (plan.frequency === 'weekly') expect(local.weekday).toBe(plan.weekday)
      if (plan.frequency === 'monthly') expect(local.day).toBe(plan.monthDay)
      expect(local.minutes).toBeGreaterThanOrEqual(plan.hour * 60)
    }),
    { seed: 20261117, numRuns: 150 },
  )
})

test('ranges end before now and start before they end, in every zone', () => {
  fc.assert(
    fc.property(fc.constantFrom(...timeRanges), time, zone, (name, now, timezone) => {
      const { starts, ends } = rangeOf(name, now, timezone)
      expect(starts.getTime()).toBeLessThan(ends.getTime())
      expect(ends.getTime()).toBeLessThanOrEqual(now.getTime())
      const days = { yesterday: 1, 'last-7-days': 7, 'last-30-days': 30, 'last-90-days': 90, 'last-week': 7 }[
        name as string
      ]
      if (days) expect(Math.abs((ends.getTime() - starts.getTime()) / day - days)).toBeLessThan(1.1)
    }),
    { seed: 20261117, numRuns: 150 },
  )
})

test('last week starts on Monday, last month on its first day, in the time zone', () => {
  const now = new Date('2026-01-01T03:00:00Z')
  expect(rangeOf('last-week', now, 'Europe/Berlin')).toEqual({
    starts: new Date('2025-12-21T23:00:00Z'),
    ends: new Date('2025-12-28T23:00:00Z'),
  })
  expect(rangeOf('last-month', now, 'America/New_York')).toEqual({
    starts: new Date('2025-11-01T04:00:00Z'),
    ends: new Date('2025-12-01T05:00:00Z'),
  })
})

describe('a line of a table', () => {
  test('escapes formulas and keeps numbers unchanged', () => {
    const cells = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', -1.5, 'a,"b"\n', null, true, 'plain']
    expect(csvLine(cells)).toBe(`'=1+1,'+1,'-1,'@SUM(A1),'\tx,"'\rx",-1.5,"a,""b""\n",,true,plain\r\n`)
    const wide = ['＝1+1', '＋1', '－1', '＠SUM(A1)', '﹦1', '﹢1', '﹣1', '﹫1', '１＋１', 'ａ']
    expect(csvLine(wide)).toBe("'＝1+1,'＋1,'－1,'＠SUM(A1),'﹦1,'﹢1,'﹣1,'﹫1,１＋１,ａ\r\n")
  })

  test('round-trips any value', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', '=', 'a', 'é', '\t', "'", '😀') }), {
          minLength: 1,
          maxLength: 5,
        }),
        (cells) => {
          const read = readLine(csvLine(cells))
          expect(read).toEqual(cells.map((cell) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell)))
        },
      ),
      { seed: 20261117, numRuns: 150 },
    )
  })
})

/** A minimal RFC 4180 parser. */
function readLine(line: string): string[] {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const [all = '', quoted, plain = '', end] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/u.exec(rest) ?? []
    if (all === '') throw new Error(`This is no line: ${rest}`)
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    rest = rest.slice(all.length)
    if (end === '\r\n') return cells
  }
}
