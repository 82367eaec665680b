import { localOf, momentOf } from '#areas/publishing/queue/local-time.ts'
import type { ExportRow } from './export-row.ts'

export const frequencies = ['daily', 'weekly', 'monthly'] as const

type Schedule = Pick<ExportRow, 'frequency' | 'weekday' | 'monthDay' | 'hour' | 'timezone'>

const day = 24 * 60 * 60 * 1000

/** The next time of a schedule after a moment, by the clock of its zone. */
export function nextRun(schedule: Schedule, after: Date): Date {
  const { hour, timezone } = schedule
  // From the day before on: at its zone's clock the moment may be on either side of midnight.
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

/** As people say it: `Weekly on Monday at 06:00 (Europe/Berlin)`. */
export function frequencyText({ frequency, weekday, monthDay, hour, timezone }: Schedule): string {
  const when = `at ${String(hour).padStart(2, '0')}:00 (${timezone})`
  if (frequency === 'weekly') return `Weekly on ${weekdays[weekday]} ${when}`
  return frequency === 'monthly' ? `Monthly on day ${monthDay} ${when}` : `Daily ${when}`
}
