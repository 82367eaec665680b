import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LocalTime, localOf, momentOf } from './local-time.ts'
import { nextFree, type Slot, slotMoments } from './queue-slot.ts'
import { zoneNames } from './zone-names.fixture.ts'

const zone = fc.constantFrom(...zoneNames())
const slot = fc.record({ weekday: fc.integer({ min: 0, max: 6 }), minutes: fc.integer({ min: 0, max: 1439 }) })
const slots = fc.array(slot as fc.Arbitrary<Slot>, { minLength: 1, maxLength: 12 })
const since1970 = fc.date({ min: new Date('1970-01-03'), max: new Date('2060-01-01'), noInvalidDate: true })

test('a local time converts to its moment and back unless it is in a gap', () => {
  const day = since1970.map((date) => new Date(Math.floor(date.getTime() / 864e5) * 864e5))
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 1439 }), zone, (date, minutes, timezone) => {
      const wanted = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
      const moment = momentOf(wanted, minutes, timezone)
      const [expected, shown] = [position({ ...wanted, minutes }), position(localOf(moment, timezone))]
      const justBefore = position(localOf(new Date(moment.getTime() - 1), timezone))
      if (shown === expected) expect(localOf(moment, timezone).weekday).toBe(date.getUTCDay())
      else
        expect([justBefore, expected, shown]).toEqual([justBefore, expected, shown].sort((one, other) => one - other))
    }),
    { numRuns: 500 },
  )
})

test('a moment is never before the first one with the same local time', () => {
  fc.assert(
    fc.property(since1970, zone, (moment, timezone) => {
      const local = localOf(moment, timezone)
      const first = momentOf(local, local.minutes, timezone)
      expect(first.getTime()).toBeLessThanOrEqual(moment.getTime())
      expect(position(localOf(first, timezone))).toBe(position(local))
    }),
    { numRuns: 500 },
  )
})

test('moments of slots are after the start, sorted, unique, and each at a slot or right after a gap', () => {
  fc.assert(
    fc.property(slots, zone, since1970, (week, timezone, after) => {
      const found = [after.getTime()]
      for (const moment of slotMoments(week, timezone, after)) if (found.push(moment.getTime()) > 40) break
      expect(found).toEqual([...new Set(found)].sort((one, other) => one - other))
      for (const moment of found.slice(1)) {
        const { weekday, minutes } = localOf(new Date(moment), timezone)
        const leap = localOf(new Date(moment - 1), timezone).minutes !== (minutes + 1439) % 1440
        expect(leap || week.some((one) => one.weekday === weekday && one.minutes === minutes)).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})

test('the next free moment is not taken, and all earlier ones are', () => {
  fc.assert(
    fc.property(slots, zone, since1970, fc.array(fc.boolean(), { maxLength: 30 }), (week, timezone, after, fate) => {
      const upcoming = slotMoments(week, timezone, after)
      const listed = fate.map(() => (upcoming.next().value as Date).getTime())
      const taken = new Set(listed.filter((_, index) => fate[index]))
      const free = nextFree(week, timezone, after, taken)?.getTime()
      expect(taken.has(free as number)).toBe(false)
      expect(free).toBe(listed.find((moment) => !taken.has(moment)) ?? (upcoming.next().value as Date).getTime())
    }),
    { numRuns: 200 },
  )
})

function position({ year, month, day, minutes }: Pick<LocalTime, 'year' | 'month' | 'day' | 'minutes'>): number {
  return Date.UTC(year, month - 1, day, 0, minutes)
}
