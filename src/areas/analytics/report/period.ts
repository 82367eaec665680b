import { dayLength, momentAt, wallAt } from '#areas/publishing/queue/local-time.ts'
import { hour } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
export const units = ['hour', 'day', 'week', 'month'] as const
export type Unit = (typeof units)[number]

/** Days in a time zone: relative by name, or from one day to another, inclusive. */
export const rangeNames = [
  ...(['today', 'yesterday', 'last7Days', 'last30Days', 'last90Days', 'last12Months', 'last24Months'] as const),
  ...(['thisWeek', 'lastWeek', 'thisMonth', 'lastMonth', 'thisYear', 'lastYear'] as const),
]
export type RangeName = (typeof rangeNames)[number]
export type Range = { name: RangeName } | { from: string; to: string }

/** Whole local days, numbered as if the zone were UTC. */
export interface Days {
  first: number
  /** The day after the last. */
  end: number
}

const longest = 3700
const earliest = Math.floor(Date.UTC(2000, 0, 1) / dayLength)
const latest = Math.floor(Date.UTC(2100, 0, 1) / dayLength)
const mostBuckets = 2000

/** Time zone of the caller. */
export async function timeZoneOf({ db, accountId, userId }: Context): Promise<string> {
  const user = await db
    .selectFrom('users')
    .select('timezone')
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .executeTakeFirst()
  return user?.timezone || 'UTC'
}

/** Days of a range at the current time in a zone. */
export function daysOf(range: Range, zone: string, now: Date): Days {
  const today = Math.floor(wallAt(now.getTime(), zone) / dayLength)
  const days = 'name' in range ? named(range.name, today) : { first: dayOf(range.from), end: dayOf(range.to) + 1 }
  if (days.first >= days.end) throw invalid('The range must not end before it begins.')
  if (days.end - days.first > longest) throw invalid(`A range has at most ${longest} days.`)
  if (days.first < earliest || days.end > latest) throw invalid('A range lies between the years 2000 and 2100.')
  return days
}

/** As many days right before them. */
export const before = ({ first, end }: Days): Days => ({ first: first - (end - first), end: first })

function named(name: RangeName, today: number): Days {
  const date = new Date(today * dayLength)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const day = (...at: [number, number, number]) => Math.floor(Date.UTC(...at) / dayLength)
  const monday = today - ((date.getUTCDay() + 6) % 7)
  const last = (count: number): Days => ({ first: today - count + 1, end: today + 1 })
  const ranges: { readonly [name in RangeName]: () => Days } = {
    today: () => last(1),
    yesterday: () => ({ first: today - 1, end: today }),
    last7Days: () => last(7),
    last30Days: () => last(30),
    last90Days: () => last(90),
    last12Months: () => ({ first: day(year, month - 11, 1), end: today + 1 }),
    last24Months: () => ({ first: day(year, month - 23, 1), end: today + 1 }),
    thisWeek: () => ({ first: monday, end: monday + 7 }),
    lastWeek: () => ({ first: monday - 7, end: monday }),
    thisMonth: () => ({ first: day(year, month, 1), end: day(year, month + 1, 1) }),
    lastMonth: () => ({ first: day(year, month - 1, 1), end: day(year, month, 1) }),
    thisYear: () => ({ first: day(year, 0, 1), end: day(year + 1, 0, 1) }),
    lastYear: () => ({ first: day(year - 1, 0, 1), end: day(year, 0, 1) }),
  }
  return ranges[name]()
}

export const dayOf = (text: string) => Math.floor(Date.parse(`${text}T00:00:00Z`) / dayLength)
export const dayText = (day: number) => new Date(day * dayLength).toISOString().slice(0, 10)

/** A bucket of a report: its label, and its range in milliseconds. */
export interface Bucket {
  label: string
  start: number
  end: number
}

/** The days as one bucket, or by units of the zone. Weeks start on Monday; units cut off by the range are partial. */
export function bucketsOf({ first, end }: Days, zone: string, unit?: Unit): Bucket[] {
  const time = (day: number) => momentAt(day * dayLength, zone)
  if (unit === undefined) return [{ label: '', start: time(first), end: time(end) }]
  if (unit === 'hour') return hoursOf(time(first), time(end), zone)
  const starts: { day: number; label: string }[] = []
  for (let day = first; day < end; day++) {
    const label = labelOf(day, unit)
    if (starts.at(-1)?.label !== label) starts.push({ day, label })
    refuseMany(starts.length, unit)
  }
  return starts.map(({ day, label }, index) => ({
    label,
    start: time(day),
    end: time(starts[index + 1]?.day ?? end),
  }))
}

/** Days and weeks are labelled by their first day, months by number. */
function labelOf(day: number, unit: 'day' | 'week' | 'month'): string {
  if (unit === 'day') return dayText(day)
  const weekday = (new Date(day * dayLength).getUTCDay() + 6) % 7
  return unit === 'week' ? dayText(day - weekday) : dayText(day).slice(0, 7)
}

const quarter = hour / 4

/** Local hours with the offset: the doubled hour in autumn becomes two. */
function hoursOf(from: number, to: number, zone: string): Bucket[] {
  const buckets: Bucket[] = []
  for (let at = from; at < to; at += quarter) {
    const wall = wallAt(at, zone)
    const label = `${new Date(Math.floor(wall / hour) * hour).toISOString().slice(0, 16)}${offsetText(wall - at)}`
    const last = buckets.at(-1)
    if (last?.label === label) last.end = at + quarter
    else buckets.push({ label, start: at, end: at + quarter })
    refuseMany(buckets.length, 'hour')
  }
  return buckets
}

function offsetText(offset: number): string {
  const minutes = Math.abs(Math.round(offset / 60_000))
  const two = (number: number) => String(number).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function refuseMany(count: number, unit: Unit) {
  if (count > mostBuckets)
    throw invalid(`A report shows at most ${mostBuckets} ${unit}s. Choose a shorter range, or a longer unit.`)
}

/** A range covered by a rollup that belongs to a bucket (1) or must be subtracted (-1). */
export interface Segment {
  bucket: number
  start: number
  end: number
  sign: 1 | -1
}

/**
 * Whole UTC days between the midnights nearest to a bucket's ends, and the quarter hours between these and its edges, added or
 * subtracted: a day in a zone one hour from UTC takes eight quarters instead of ninety-six.
 */
export function segmentsOf(buckets: readonly Bucket[]): { days: Segment[]; quarters: Segment[] } {
  const days: Segment[] = []
  const quarters: Segment[] = []
  for (const [bucket, { start, end }] of buckets.entries()) {
    const [first, last] = [nearestMidnight(start), nearestMidnight(end)]
    if (Math.abs(start - first) + Math.abs(end - last) >= end - start) {
      quarters.push({ bucket, start, end, sign: 1 })
      continue
    }
    if (first < last) days.push({ bucket, start: first, end: last, sign: 1 })
    if (start < first) quarters.push({ bucket, start, end: first, sign: 1 })
    if (first < start) quarters.push({ bucket, start: first, end: start, sign: -1 })
    if (last < end) quarters.push({ bucket, start: last, end, sign: 1 })
    if (end < last) quarters.push({ bucket, start: end, end: last, sign: -1 })
  }
  return { days, quarters }
}

const nearestMidnight = (time: number) => Math.round(time / dayLength) * dayLength
