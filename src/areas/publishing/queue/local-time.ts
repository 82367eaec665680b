import { momentAt, wallAt } from './wall-clock.ts'

/** Sunday is 0. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6

export interface LocalDay {
  year: number
  /** January is 1. */
  month: number
  day: number
}

export interface LocalTime extends LocalDay {
  weekday: Weekday
  /** After midnight, as the clock shows it. */
  minutes: number
}

/**
 * The moment of a local time on a local day; in the gap of a spring change the first moment after the gap, in the
 * doubled hour of autumn the first of the two.
 */
export function momentOf({ year, month, day }: LocalDay, minutes: number, timezone: string): Date {
  return new Date(momentAt(Date.UTC(year, month - 1, day, 0, minutes), timezone))
}

/** The local day and minutes of a moment. */
export function localOf(moment: Date, timezone: string): LocalTime {
  const wall = new Date(wallAt(moment.getTime(), timezone))
  return {
    year: wall.getUTCFullYear(),
    month: wall.getUTCMonth() + 1,
    day: wall.getUTCDate(),
    weekday: wall.getUTCDay() as Weekday,
    minutes: wall.getUTCHours() * 60 + wall.getUTCMinutes(),
  }
}
