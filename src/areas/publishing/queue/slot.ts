import { invalid } from '#kernel/errors.ts'
import type { Weekday } from './local-time.ts'
import { dayLength, momentAt, wallAt } from './wall-clock.ts'

/** A place in the week where a post may go out: minutes after midnight, local time. */
export interface Slot {
  weekday: Weekday
  /** 0 to 1439. */
  minutes: number
}

/** The moments of the slots strictly after `after`, in order, each moment once; it never ends unless there are no slots. */
export function* slotMoments(slots: readonly Slot[], timezone: string, after: Date): Generator<Date> {
  const week = weekOf(slots)
  let last = after.getTime()
  // Today is early enough: what a clock shows now or showed before is a moment that has come.
  for (let day = Math.floor(wallAt(last, timezone) / dayLength); slots.length > 0; day++) {
    const times = week[new Date(day * dayLength).getUTCDay()] ?? []
    if (times.length === 0 || !exists(day, timezone)) continue
    for (const minutes of times) {
      const moment = momentAt(day * dayLength + minutes * minuteLength, timezone)
      // Later times have no earlier moments, so that comparing with the last one finds those that fall together.
      if (moment <= last) continue
      last = moment
      yield new Date(moment)
    }
  }
}

/** The first moment that is not taken (`getTime()`); undefined without slots or when two years are full. */
export const nextFree = (
  slots: readonly Slot[],
  timezone: string,
  after: Date,
  taken: ReadonlySet<number>,
): Date | undefined => nextFrees(slots, timezone, after, taken, 1)[0]

/** The first few of them, as many as two years have. */
export function nextFrees(
  slots: readonly Slot[],
  timezone: string,
  after: Date,
  taken: ReadonlySet<number>,
  count: number,
): Date[] {
  const end = after.getTime() + twoYears
  const free: Date[] = []
  for (const moment of slotMoments(slots, timezone, after)) {
    if (moment.getTime() > end) break
    if (!taken.has(moment.getTime())) free.push(moment)
    if (free.length === count) break
  }
  return free
}

const minuteLength = 60 * 1000
const twoYears = 2 * 366 * dayLength

/** The times of each weekday, in order. */
function weekOf(slots: readonly Slot[]): number[][] {
  const week: number[][] = [[], [], [], [], [], [], []]
  for (const { weekday, minutes } of slots) {
    const times = week[weekday]
    if (!times || !Number.isInteger(minutes) || minutes < 0 || minutes > 1439) {
      throw invalid('A slot has a weekday from 0 (Sunday) to 6 and whole minutes after midnight from 0 to 1439.')
    }
    times.push(minutes)
  }
  for (const times of week) times.sort((one, other) => one - other)
  return week
}

/** Whether the zone has this day: Samoa went from 29 to 31 December 2011. */
const exists = (day: number, timezone: string) =>
  wallAt(momentAt(day * dayLength, timezone), timezone) < (day + 1) * dayLength
