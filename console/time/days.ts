import { dayLength, type Lens } from './zone-lens.ts'

/** The one place where the console asks what time it is, in milliseconds. */
export const now = () => Date.now()

/** A day of a calendar, as it stands in addresses: `2027-03-01`. It has no zone. */
export type Day = string

/** Midnight of a day as if it were UTC: with this, days are added and compared. */
export const wallOf = (day: Day) =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10)))

export const dayOf = (wall: number): Day => new Date(wall).toISOString().slice(0, 10)

export const isDay = (text: string): text is Day => /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(wallOf(text)) === text

export const addDays = (day: Day, days: number): Day => dayOf(wallOf(day) + days * dayLength)

/** The same day of another month, or its last. */
export function addMonths(day: Day, months: number): Day {
  const date = new Date(wallOf(day))
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)).getUTCDate()
  return dayOf(first + (Math.min(date.getUTCDate(), last) - 1) * dayLength)
}

/** 0 is Monday. */
export const weekday = (day: Day) => (new Date(wallOf(day)).getUTCDay() + 6) % 7

/** The first day of its week; weeks begin on the given weekday. */
export const weekOf = (day: Day, begins = 0): Day => addDays(day, -((weekday(day) - begins + 7) % 7))

export const monthOf = (day: Day): Day => `${day.slice(0, 7)}-01`

/** The weeks that show a month whole, each as its seven days. */
export function weeksOfMonth(day: Day, begins = 0): Day[][] {
  const month = monthOf(day).slice(0, 7)
  const weeks: Day[][] = []
  for (
    let first = weekOf(monthOf(day), begins);
    weeks.length === 0 || first.slice(0, 7) === month;
    first = addDays(first, 7)
  )
    weeks.push(Array.from({ length: 7 }, (_, index) => addDays(first, index)))
  return weeks
}

/** On which day of a zone a moment lies, and when that day begins there. */
export const dayAt = (lens: Lens, moment: number): Day => dayOf(lens.wall(moment))
export const beginOf = (lens: Lens, day: Day): number => lens.moment(wallOf(day))

/** `2026-08-31 09:30:00`, UTC, as the wire writes moments. */
export const momentOf = (wire: string): number => Date.parse(`${wire.replace(' ', 'T')}Z`)

/** The same of what may not have happened, or has no time: that is written with zeros, or not at all. */
export const momentIfAny = (wire: string): number | undefined =>
  wire === '' || wire.startsWith('0000') ? undefined : momentOf(wire)

export const wireOf = (moment: number): string => new Date(moment).toISOString().slice(0, 19).replace('T', ' ')
