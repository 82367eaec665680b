/** When shares go out that many plan for the same story and network: not all in one second, and no more in a day than the board lets. */

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

/** Another share so shortly before counts as one beside which this one is planned. */
const near = 30 * second
/** A time that somebody chose is kept within so many minutes. */
const chosenWithin = 5 * minute

export interface Wish {
  now: Date
  /** A moment that was chosen; nothing: as soon as may be. */
  chosen: Date | undefined
  /** Minutes over which shares are spread. */
  window: number
  /** How many may go out in a day; nothing: as many as come. */
  cap: number | undefined
  /** The last moment at which it may. */
  before: Date
}

/**
 * The moment for one more share beside those that are planned already; nothing where none is left before the end. It follows from what is
 * given alone.
 */
export function momentFor(planned: readonly Date[], { now, chosen, window, cap, before }: Wish): Date | undefined {
  const taken = planned.map((moment) => moment.getTime())
  const width = Math.min(window * minute, chosen ? chosenWithin : Number.POSITIVE_INFINITY)
  const perDay = countByDay(taken)
  for (let from = Math.max((chosen ?? now).getTime(), now.getTime()); from < before.getTime(); from += day) {
    const moment = placed(taken, from, width)
    if (moment >= before.getTime()) continue
    if (cap === undefined || (perDay.get(dayOf(moment)) ?? 0) < cap) return new Date(moment)
  }
  return undefined
}

/** The first goes out at once, each next one at twice the distance, and when the window is full they come in between. */
function placed(taken: readonly number[], from: number, width: number): number {
  const beside = taken
    .filter((moment) => moment > from - near && moment < from + width + near)
    .sort((one, two) => one - two)
  const last = beside.at(-1)
  if (last === undefined || width === 0) return from
  const next = from + Math.max(near, 2 * Math.max(0, last - from))
  if (next <= from + width) return next
  return inLargestGap(beside, from, width)
}

/** In the middle between the two that are furthest apart; where all seconds are taken, behind the last. */
function inLargestGap(beside: readonly number[], from: number, width: number): number {
  const bounds = [from, ...beside.filter((moment) => moment > from && moment < from + width), from + width]
  let widest = { at: 0, gap: 0 }
  for (let index = 1; index < bounds.length; index++) {
    const [one, two] = [bounds[index - 1] as number, bounds[index] as number]
    if (two - one > widest.gap) widest = { at: one, gap: two - one }
  }
  if (widest.gap < 2 * second) return Math.max(from + width, beside.at(-1) ?? 0) + second
  return widest.at + Math.floor(widest.gap / 2 / second) * second
}

const dayOf = (moment: number) => Math.floor(moment / day)

function countByDay(moments: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const moment of moments) counts.set(dayOf(moment), (counts.get(dayOf(moment)) ?? 0) + 1)
  return counts
}
