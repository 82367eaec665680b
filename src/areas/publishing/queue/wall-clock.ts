import { invalid } from '#kernel/errors.ts'

/** What the clocks on the wall of a zone show at a moment, as if it were UTC; both in milliseconds. */
export function wallAt(moment: number, timezone: string): number {
  const zone = zoneOf(timezone)
  const day = Math.floor(moment / dayLength)
  return moment + offsetOn(zone, moment < changeOn(zone, day) ? day : day + 1)
}

/** The first moment at which the clocks of a zone show this or, when they leap over it, more. */
export function momentAt(wall: number, timezone: string): number {
  const zone = zoneOf(timezone)
  // No clock is a whole day away from UTC: a day before, this was not shown yet.
  for (let day = Math.floor(wall / dayLength) - 1; ; day++) {
    const change = changeOn(zone, day)
    const before = Math.max(day * dayLength, wall - offsetOn(zone, day))
    if (before < change) return before
    const after = Math.max(change, wall - offsetOn(zone, day + 1))
    if (after < (day + 1) * dayLength) return after
  }
}

export const dayLength = 24 * 60 * 60 * 1000

/** How far a zone is from UTC: at the start of each day in UTC, and when that changes in between. */
interface Zone {
  format: Intl.DateTimeFormat
  offsets: Map<number, number>
  changes: Map<number, number>
}

const zones = new Map<string, Zone>()
// A format takes 50 kB, a day next to nothing; two years of days fit.
const mostZones = 250
const mostDays = 1000

function zoneOf(timezone: string): Zone {
  const known = zones.get(timezone)
  if (known) return known
  const [oldest] = zones.keys()
  if (zones.size >= mostZones && oldest) zones.delete(oldest)
  const zone = { format: formatOf(timezone), offsets: new Map(), changes: new Map() }
  zones.set(timezone, zone)
  return zone
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    // One string that ends in the offset costs a quarter of formatToParts.
    return new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', hourCycle: 'h23', timeZoneName: 'longOffset' })
  } catch {
    throw invalid(`The time zone "${timeZone}" is not known here; choose one such as Europe/Berlin.`)
  }
}

/** When the offset changes on a day in UTC; its end if it does not. No zone changes twice within a day. */
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
  if (zone.offsets.size >= mostDays) zone.offsets.clear()
  const offset = readOffset(zone, day * dayLength)
  zone.offsets.set(day, offset)
  return offset
}

function readOffset({ format }: Zone, moment: number): number {
  // Nothing follows GMT where the offset is zero; seconds stand only in old local times.
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(
    format.format(moment),
  ) as RegExpExecArray
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -offset : offset
}
