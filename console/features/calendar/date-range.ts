import { useMemo } from 'react'
import { formatDay, userTimeZone } from '@/i18n/format.ts'
import { listParam } from '@/routes/router.ts'
import {
  addDays,
  addMonths,
  type Day,
  dayAt,
  dayLength,
  isDay,
  monthOf,
  now,
  startOf,
  timeZoneClock,
  wallTimeOf,
  weekOf,
  weeksOfMonth,
  type ZoneClock,
} from '@/time/days.ts'
import { daysBetween, type Filters } from './scheduled-posts.ts'

export const views = ['month', 'week', 'day', 'list'] as const
export type View = (typeof views)[number]

const viewOf = (text: string | null): View => views.find((view) => view === text) ?? 'month'

/** The date range of a view. */
export interface DateRange {
  view: View
  /** The day named in the URL. */
  shown: Day
  today: Day
  days: readonly Day[]
  /** Only set for a month. */
  weeks: readonly (readonly Day[])[]
  clock: ZoneClock
  /** In milliseconds. */
  from: number
  until: number
}

/** Days in the user's time zone, with the timestamps that bound them. */
function dateRangeOf(view: View, wanted: string, now: number): DateRange {
  const zone = userTimeZone()
  const today = dayAt(timeZoneClock(zone, now, now), now)
  const shown = isDay(wanted) ? wanted : today
  const weeks = view === 'month' ? weeksOfMonth(shown) : []
  const days = view === 'month' ? weeks.flat() : daysOf(view, shown)
  const [first = shown, last = shown] = [days[0], days.at(-1)]
  const clock = timeZoneClock(zone, wallTimeOf(first) - dayLength, wallTimeOf(last) + 2 * dayLength)
  return {
    view,
    shown,
    today,
    days,
    weeks,
    clock,
    from: startOf(clock, first),
    until: startOf(clock, addDays(last, 1)),
  }
}

function daysOf(view: View, day: Day): Day[] {
  if (view === 'day') return [day]
  if (view === 'week') return daysBetween(weekOf(day), addDays(weekOf(day), 6))
  return daysBetween(monthOf(day), addDays(addMonths(monthOf(day), 1), -1))
}

/** The day shown after moving by a number of steps. */
export function stepDate(day: Day, view: View, by: number): Day {
  if (view === 'day') return addDays(day, by)
  return view === 'week' ? addDays(day, by * 7) : addMonths(monthOf(day), by)
}

/** The days the URL selects, with the timestamps that bound them. */
export function useDateRange(search: URLSearchParams) {
  const [view, day] = [viewOf(search.get('view')), search.get('day') ?? '']
  return useMemo(() => dateRangeOf(view, day, now()), [view, day])
}

/** Parameters of the request: date range, search text, and the filters that need fields the calendar response does not include. */
export function useCalendarQuery(search: URLSearchParams, { from, until }: { from: number; until: number }) {
  const [find, tag, team] = ['find', 'tag', 'team'].map((name) => search.get(name) ?? '') as [string, string, string]
  return useMemo(() => {
    const [tags, teams] = [tag, team].map((text) => text.split(',').filter(Boolean)) as [string[], string[]]
    const filters = { ...(tags.length > 0 && { tags }), ...(teams.length > 0 && { teams }) }
    return {
      from: from / 1000,
      until: until / 1000,
      ...(find && { find }),
      ...(Object.keys(filters).length > 0 && { filters }),
    }
  }, [from, until, find, tag, team])
}

/** Filters that are applied in the browser. */
export function useFilters(search: URLSearchParams): Filters {
  const text = ['network', 'status', 'campaign'].map((name) => `${name}=${search.get(name) ?? ''}`).join('&')
  return useMemo(() => {
    const params = new URLSearchParams(text)
    const [networks, statuses, campaigns] = ['network', 'status', 'campaign'].map((name) =>
      listParam(params, name),
    ) as [string[], string[], string[]]
    return { networks, statuses, campaigns }
  }, [text])
}

/** A calendar day without a time zone. */
export const dayName = (day: Day) => formatDay(wallTimeOf(day), { dateStyle: 'full' })
