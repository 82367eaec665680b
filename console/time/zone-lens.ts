const minute = 60_000
const hour = 60 * minute
export const dayLength = 24 * hour

/** The wall clock of a zone over a stretch of time. A moment costs an addition: the zone is asked only where its clock is put forward or back. */
export interface Lens {
  readonly zone: string
  /** The wall time as if it were UTC. */
  wall(moment: number): number
  /** The moment of a wall time; of one that does not exist the moment right after the gap, of one that comes twice the first. */
  moment(wall: number): number
}

interface Change {
  /** From when on. */
  at: number
  offset: number
}

export function zoneLens(zone: string, from: number, until: number): Lens {
  // Clocks are put forward and back at whole minutes.
  const begin = Math.floor(from / minute) * minute - dayLength
  const changes = changesOf(zone, begin, until + dayLength)
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
      // No offset fits a time that the clock leaves out: then it is the moment at which it was put forward.
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

/** How far a zone's clock is ahead of UTC at a moment. */
function offsetAt(zone: string, moment: number): number {
  const at: { [type: string]: number } = {}
  for (const { type, value } of formatOf(zone).formatToParts(moment)) at[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = at
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000
}

/** Making one takes longer than using it a hundred times. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const whole = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...whole })
  formats.set(zone, made)
  return made
}
