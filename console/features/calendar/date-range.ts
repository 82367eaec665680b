import { useMemo } from 'react'
import { ofDay, readersZone } from '@/i18n/format.ts'
import { valuesOf } from '@/routes/router.ts'
import {
  addDays,
  addMonths,
  beginOf,
  type Day,
  dayAt,
  dayLength,
  isDay,
  type Lens,
  monthOf,
  now,
  wallOf,
  weekOf,
  weeksOfMonth,
  zoneLens,
} from '@/time/days.ts'
import { daysBetween, type Wanted } from './scheduled-posts.ts'

export const views = ['month', 'week', 'day', 'list'] as const
export type View = (typeof views)[number]

const viewOf = (text: string | null): View => views.find((view) => view === text) ?? 'month'

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
function stretchOf(view: View, wanted: string, now: number): Stretch {
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

/** Which days the address shows, and between which moments they lie. */
export function useStretch(search: URLSearchParams) {
  const [view, day] = [viewOf(search.get('view')), search.get('day') ?? '']
  return useMemo(() => stretchOf(view, day, now()), [view, day])
}

/** What the service is asked for: the days, the words, and what of a post a calendar does not carry. */
export function useAsked(search: URLSearchParams, { from, until }: { from: number; until: number }) {
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

/** What of that is drawn. */
export function useWanted(search: URLSearchParams): Wanted {
  const text = ['network', 'status', 'campaign'].map((name) => `${name}=${search.get(name) ?? ''}`).join('&')
  return useMemo(() => {
    const given = new URLSearchParams(text)
    const [networks, statuses, campaigns] = ['network', 'status', 'campaign'].map((name) => valuesOf(given, name)) as [
      string[],
      string[],
      string[],
    ]
    return { networks, statuses, campaigns }
  }, [text])
}

/** Of a day without a zone. */
export const dayName = (day: Day) => ofDay(wallOf(day), { dateStyle: 'full' })
