import type { Selectable } from 'kysely'
import { type LocalDay, localOf, momentOf } from '#areas/publishing/queue/local-time.ts'
import { day } from '#kernel/clock.ts'
import type { Exports } from '#kernel/database/tables.ts'
export const frequencies = ['daily', 'weekly', 'monthly'] as const

type Schedule = Pick<Selectable<Exports>, 'frequency' | 'weekday' | 'monthDay' | 'hour' | 'timezone'>

/** Next time of a schedule, in its time zone. */
export function nextRun(schedule: Schedule, after: Date): Date {
  const { hour, timezone } = schedule
  // From the previous day on: in its zone the time may be on either side of midnight.
  for (let days = -1; days <= 33; days++) {
    const local = localOf(new Date(after.getTime() + days * day), timezone)
    const due = momentOf(local, hour * 60, timezone)
    if (due > after && isDay(schedule, local)) return due
  }
  throw new Error(`The schedule ${frequencyText(schedule)} has no next time.`)
}

function isDay({ frequency, weekday, monthDay }: Schedule, local: { weekday: number; day: number }): boolean {
  if (frequency === 'weekly') return local.weekday === weekday
  return frequency === 'daily' || local.day === monthDay
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Human-readable: `Weekly on Monday at 06:00 (Europe/Berlin)`. */
export function frequencyText({ frequency, weekday, monthDay, hour, timezone }: Schedule): string {
  const when = `at ${String(hour).padStart(2, '0')}:00 (${timezone})`
  if (frequency === 'weekly') return `Weekly on ${weekdays[weekday]} ${when}`
  return frequency === 'monthly' ? `Monthly on day ${monthDay} ${when}` : `Daily ${when}`
}

/** Start inclusive, end exclusive. */
export interface TimeRange {
  starts: Date
  ends: Date
}

const texts = {
  yesterday: 'Yesterday',
  'last-7-days': 'Last 7 days',
  'last-30-days': 'Last 30 days',
  'last-90-days': 'Last 90 days',
  'last-week': 'Last week',
  'last-month': 'Last month',
  'all-time': 'All time',
} as const

export type TimeRangeName = keyof typeof texts
export const timeRanges = Object.keys(texts) as TimeRangeName[]

/** Human-readable. */
export const timeRangeText = (name: string) => texts[name as TimeRangeName] ?? name

/** Whole days in the zone, ending with a completed one, so that late counts are included. All time ends now. */
export function rangeOf(name: string, now: Date, timezone: string): TimeRange {
  const today = localOf(now, timezone)
  const from = (day: LocalDay) => momentOf(day, 0, timezone)
  const daysBefore = (days: number) => from(shifted(today, -days))
  switch (name as TimeRangeName) {
    case 'yesterday':
      return { starts: daysBefore(1), ends: from(today) }
    case 'last-7-days':
      return { starts: daysBefore(7), ends: from(today) }
    case 'last-30-days':
      return { starts: daysBefore(30), ends: from(today) }
    case 'last-90-days':
      return { starts: daysBefore(90), ends: from(today) }
    case 'last-week': {
      // Weeks start on Monday.
      const sinceMonday = (today.weekday + 6) % 7
      return { starts: daysBefore(sinceMonday + 7), ends: daysBefore(sinceMonday) }
    }
    case 'last-month': {
      const first = { ...today, day: 1 }
      const { year, month } = shifted(first, -1)
      return { starts: from({ year, month, day: 1 }), ends: from(first) }
    }
    default:
      return { starts: new Date(0), ends: now }
  }
}

function shifted({ year, month, day }: LocalDay, days: number): LocalDay {
  const date = new Date(Date.UTC(year, month - 1, day + days))
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}
