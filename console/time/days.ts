/** The console's only source of the current time, in milliseconds. */
export const now = () => Date.now()

/** A calendar day as used in URLs: `2027-03-01`. It has no time zone. */
export type Day = string

/** Midnight of a day as UTC, for arithmetic and comparison of days. */
export const wallTimeOf = (day: Day) =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10)))

export const dayOf = (wall: number): Day => new Date(wall).toISOString().slice(0, 10)

export const isDay = (text: string): text is Day => /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(wallTimeOf(text)) === text

export const addDays = (day: Day, days: number): Day => dayOf(wallTimeOf(day) + days * dayLength)

/** The same day of another month, or that month's last day. */
export function addMonths(day: Day, months: number): Day {
  const date = new Date(wallTimeOf(day))
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)).getUTCDate()
  return dayOf(first + (Math.min(date.getUTCDate(), last) - 1) * dayLength)
}

/** 0 is Monday. */
const weekday = (day: Day) => (new Date(wallTimeOf(day)).getUTCDay() + 6) % 7

/** The first day of its week; weeks start on the given weekday. */
export const weekOf = (day: Day, firstWeekday = 0): Day => addDays(day, -((weekday(day) - firstWeekday + 7) % 7))

export const monthOf = (day: Day): Day => `${day.slice(0, 7)}-01`

/** All weeks that contain days of a month, each as seven days. */
export function weeksOfMonth(day: Day, firstWeekday = 0): Day[][] {
  const month = monthOf(day).slice(0, 7)
  const weeks: Day[][] = []
  for (
    let first = weekOf(monthOf(day), firstWeekday);
    weeks.length === 0 || first.slice(0, 7) === month;
    first = addDays(first, 7)
  )
    weeks.push(Array.from({ length: 7 }, (_, index) => addDays(first, index)))
  return weeks
}

/** The calendar day of a timestamp in a time zone, and the timestamp at which a day starts there. */
export const dayAt = (clock: ZoneClock, moment: number): Day => dayOf(clock.wall(moment))
export const startOf = (clock: ZoneClock, day: Day): number => clock.moment(wallTimeOf(day))

/** `2026-08-31 09:30:00`, UTC, as timestamps are written in the API. */
export const parseTimestamp = (timestamp: string): number => Date.parse(`${timestamp.replace(' ', 'T')}Z`)

/** Undefined for an unset timestamp, which the API writes as zeros or omits. */
export const parseOptionalTimestamp = (timestamp: string): number | undefined =>
  timestamp === '' || timestamp.startsWith('0000') ? undefined : parseTimestamp(timestamp)

export const formatTimestamp = (moment: number): string => new Date(moment).toISOString().slice(0, 19).replace('T', ' ')

const minute = 60_000
const hour = 60 * minute
export const dayLength = 24 * hour

/** Wall clock of a time zone over a range. Conversions are one addition; Intl is used only to find the daylight saving changes. */
export interface ZoneClock {
  readonly zone: string
  /** The wall time as UTC. */
  wall(moment: number): number
  /** The timestamp of a wall time. A skipped time gives the moment after the gap; a repeated time gives its first occurrence. */
  moment(wall: number): number
}

interface Change {
  /** Start of the offset. */
  at: number
  offset: number
}

export function timeZoneClock(zone: string, from: number, until: number): ZoneClock {
  // Daylight saving changes happen at whole minutes.
  const start = Math.floor(from / minute) * minute - dayLength
  const changes = changesOf(zone, start, until + dayLength)
  const offset = (moment: number) => {
    let found = changes[0]?.offset ?? 0
    for (const change of changes) if (moment >= change.at) found = change.offset
    return found
  }
  return {
    zone,
    wall: (moment) => moment + offset(moment),
    moment(wall) {
      const fitting = changes
        .filter(({ offset: one }) => offset(wall - one) === one)
        .map(({ offset: one }) => wall - one)
      if (fitting.length > 0) return Math.min(...fitting)
      // No offset matches a skipped time: use the moment of the change.
      const gap = changes.find(({ at, offset: after }, index) => {
        const before = changes[index - 1]?.offset
        return before !== undefined && wall >= at + before && wall < at + after
      })
      return gap?.at ?? wall - offset(wall)
    },
  }
}

function changesOf(zone: string, from: number, until: number): Change[] {
  const changes: Change[] = [{ at: Number.NEGATIVE_INFINITY, offset: offsetAt(zone, from) }]
  let before = offsetAt(zone, from)
  for (let at = from; at < until; at += dayLength) {
    const after = offsetAt(zone, at + dayLength)
    if (before === after) continue
    let [low, high] = [at, at + dayLength]
    while (high - low > minute) {
      const middle = Math.floor((low + high) / 2 / minute) * minute
      if (offsetAt(zone, middle) === before) low = middle
      else high = middle
    }
    changes.push({ at: high, offset: after })
    before = after
  }
  return changes
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Offset from UTC of a time zone at a timestamp. */
function offsetAt(zone: string, moment: number): number {
  const at: { [type: string]: number } = {}
  for (const { type, value } of formatOf(zone).formatToParts(moment)) at[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = at
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000
}

/** Creating a format takes longer than using it a hundred times. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const allFields = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const
  const created = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...allFields })
  formats.set(zone, created)
  return created
}

/** All time zones the browser supports, searchable by city. */
export const timeZoneOptions = (): { value: string; label: string }[] =>
  ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((value) => ({
    value,
    label: value.replaceAll('_', ' '),
  }))
