import { invalid } from '#kernel/errors.ts'

/** The local time of a zone at a moment, as if it were UTC; both in milliseconds. */
export function wallAt(moment: number, timezone: string): number {
  const zone = zoneOf(timezone)
  const day = Math.floor(moment / dayLength)
  return moment + offsetOn(zone, moment < changeOn(zone, day) ? day : day + 1)
}

/** The first moment at which a zone has this local time or, if it falls into a gap, the first after the gap. */
export function momentAt(wall: number, timezone: string): number {
  const zone = zoneOf(timezone)
  // No offset is as large as a day, so the local time cannot occur earlier than a day before.
  for (let day = Math.floor(wall / dayLength) - 1; ; day++) {
    const change = changeOn(zone, day)
    const before = Math.max(day * dayLength, wall - offsetOn(zone, day))
    if (before < change) return before
    const after = Math.max(change, wall - offsetOn(zone, day + 1))
    if (after < (day + 1) * dayLength) return after
  }
}

export const dayLength = 24 * 60 * 60 * 1000

/** A zone's UTC offset at the start of each UTC day, and the moments at which it changes within a day. */
interface Zone {
  format: Intl.DateTimeFormat
  offsets: Map<number, number>
  changes: Map<number, number>
}

const zones = new Map<string, Zone>()
// A formatter takes 50 kB, a cached day almost nothing; two years of days are cached.
const maxZones = 250
const maxDays = 1000

function zoneOf(timezone: string): Zone {
  const known = zones.get(timezone)
  if (known) return known
  const [oldest] = zones.keys()
  if (zones.size >= maxZones && oldest) zones.delete(oldest)
  const zone = { format: formatOf(timezone), offsets: new Map(), changes: new Map() }
  zones.set(timezone, zone)
  return zone
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    // Parsing the offset from the end of one string costs a quarter of formatToParts.
    return new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', hourCycle: 'h23', timeZoneName: 'longOffset' })
  } catch {
    throw invalid(`The time zone "${timeZone}" is not known here; choose one such as Europe/Berlin.`)
  }
}

/** The moment at which the offset changes within a UTC day; the end of the day if it does not. No zone changes twice within a day. */
function changeOn(zone: Zone, day: number): number {
  const offset = offsetOn(zone, day)
  if (offset === offsetOn(zone, day + 1)) return (day + 1) * dayLength
  const known = zone.changes.get(day)
  if (known !== undefined) return known
  let [before, after] = [day * dayLength, (day + 1) * dayLength]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (readOffset(zone, middle) === offset) before = middle
    else after = middle
  }
  zone.changes.set(day, after)
  return after
}

function offsetOn(zone: Zone, day: number): number {
  const known = zone.offsets.get(day)
  if (known !== undefined) return known
  if (zone.offsets.size >= maxDays) zone.offsets.clear()
  const offset = readOffset(zone, day * dayLength)
  zone.offsets.set(day, offset)
  return offset
}

function readOffset({ format }: Zone, moment: number): number {
  // GMT has no suffix if the offset is zero; only historic local times have seconds.
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(
    format.format(moment),
  ) as RegExpExecArray
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -offset : offset
}

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
  /** After midnight, local time. */
  minutes: number
}

/** The moment of a local time: the first moment after the gap if daylight saving time skips it, the first of the two if it occurs twice. */
export function momentOf({ year, month, day }: LocalDay, minutes: number, timezone: string): Date {
  return new Date(momentAt(Date.UTC(year, month - 1, day, 0, minutes), timezone))
}

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
