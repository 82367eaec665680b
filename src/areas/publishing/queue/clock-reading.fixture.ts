import { dayLength } from './local-time.ts'

/** A simple and slow reference implementation: formats the local time in full at every step and parses it. */
export interface Readings {
  /** The local time at each step, as if it were UTC. */
  shown: Map<number, number>
  /** The first moment with this local time or, if it falls into a gap, the first after the gap. */
  momentOf(wall: number): number | undefined
}

export const minute = 60 * 1000
export const hour = 60 * minute

export function readings(timezone: string, from: number, until: number, step: number): Readings {
  const format = formatOf(timezone)
  const shown = new Map<number, number>()
  const firsts = new Map<number, number>()
  for (let moment = from; moment <= until; moment += step) {
    const wall = read(format, moment)
    shown.set(moment, wall)
    if (!firsts.has(wall)) firsts.set(wall, moment)
  }
  const steps = [...shown]
  const afterGap = (wall: number) => steps.find(([, now]) => now > wall)?.[0]
  return { shown, momentOf: (wall) => firsts.get(wall) ?? afterGap(wall) }
}

/** The moments at which a zone's UTC offset changes. */
export function leaps(timezone: string, from: number, until: number): number[] {
  const format = formatOf(timezone)
  const offset = (moment: number) => read(format, moment) - moment
  const found: number[] = []
  let last = offset(from)
  // In the tested years two changes are never closer than a week.
  for (let start = from; start < until; start += 5 * dayLength) {
    let [before, after] = [start, start + 5 * dayLength]
    const next = offset(after)
    while (next !== last && after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000
      if (offset(middle) === last) before = middle
      else after = middle
    }
    if (next !== last) found.push(after)
    last = next
  }
  return found
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit' as const
  const time = { hourCycle: 'h23' as const, hour: two, minute: two, second: two }
  return new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: two, day: two, ...time })
}

/** The Swedish locale formats as 2026-03-29 03:00:00. */
const read = (format: Intl.DateTimeFormat, moment: number) => Date.parse(`${format.format(moment).replace(' ', 'T')}Z`)
