import {
  addDays,
  addMonths,
  beginOf,
  type Day,
  dayAt,
  isDay,
  monthOf,
  wallOf,
  weekOf,
  weeksOfMonth,
} from '../../../time/days.ts'
import { dayLength, type Lens, zoneLens } from '../../../time/zone-lens.ts'
import { readersZone } from '../../../words/format.ts'
import { daysBetween } from './plan.ts'

export const views = ['month', 'week', 'day', 'list'] as const
export type View = (typeof views)[number]

export const viewOf = (text: string | null): View => views.find((view) => view === text) ?? 'month'

/** What a view shows at a time. */
export interface Stretch {
  view: View
  /** The day that the address names. */
  shown: Day
  today: Day
  days: readonly Day[]
  /** Of a month. */
  weeks: readonly (readonly Day[])[]
  lens: Lens
  /** In milliseconds. */
  from: number
  until: number
}

/** Days of the reader's own clock, and the moments between which they lie. */
export function stretchOf(view: View, wanted: string, now: number): Stretch {
  const zone = readersZone()
  const today = dayAt(zoneLens(zone, now, now), now)
  const shown = isDay(wanted) ? wanted : today
  const weeks = view === 'month' ? weeksOfMonth(shown) : []
  const days = view === 'month' ? weeks.flat() : daysOf(view, shown)
  const [first = shown, last = shown] = [days[0], days.at(-1)]
  const lens = zoneLens(zone, wallOf(first) - dayLength, wallOf(last) + 2 * dayLength)
  return { view, shown, today, days, weeks, lens, from: beginOf(lens, first), until: beginOf(lens, addDays(last, 1)) }
}

function daysOf(view: View, day: Day): Day[] {
  if (view === 'day') return [day]
  if (view === 'week') return daysBetween(weekOf(day), addDays(weekOf(day), 6))
  return daysBetween(monthOf(day), addDays(addMonths(monthOf(day), 1), -1))
}

/** The day that is shown after so many steps. */
export function stepFrom(day: Day, view: View, by: number): Day {
  if (view === 'day') return addDays(day, by)
  return view === 'week' ? addDays(day, by * 7) : addMonths(monthOf(day), by)
}
