import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Listener } from '../database/listener.ts'
import { dayLength, dayOf, isBlocked, type LimitRules, type Standing } from './rules.ts'

export interface LimitOptions {
  database: Database
  listener: Listener
  clock: Clock
  rules: LimitRules
  report?: (error: unknown) => void
  /** Milliseconds from one beat to the next, and from one question about a caller to the next. */
  every?: number
  pace?: number
}

/** Everything one process needs to count calls. */
export interface Counting extends Required<LimitOptions> {
  /** This process among those that count. */
  readonly id: string
  readonly callers: Map<string, Caller>
  /** Processes that did not answer, and have not been heard since. */
  readonly gone: Set<string>
  readonly works: Set<Promise<void>>
}

/** One caller, as this process knows it. */
export interface Caller {
  readonly key: string
  readonly account: string
  /** When the calls admitted here came, in order, and the moment at which they are looked at. */
  readonly times: number[]
  at: number
  /** The day that is counted, its calls that the row knows of, and those admitted here that it does not. */
  day: number
  known: number
  untold: number
  blockedUntil: number
  /** What this process may admit by itself: at most so many calls in each window and, last, so many untold ones of the day. */
  part: number[]
  /** The beat in which it last called. */
  touched: number
  /** Calls that do not fit into the part, and whether they are worked on. Each counts from when it came. */
  readonly waiting: { at: number; resolve(standing: Standing): void; reject(error: unknown): void }[]
  working: boolean
  /** Ends with the statement about the part that is under way. */
  busy: Promise<unknown> | undefined
  /** Processes that want some of the part: of which limits, and whom they ask. */
  readonly asks: Ask[]
  /** How much of their parts others have used, as they answered the last question, and when that was asked. */
  told: Map<string, number[]>
  askedAt: number
}

interface Ask {
  from: string
  of: string[]
  lacks: number[]
}

export function newCaller(key: string, { windows }: LimitRules): Caller {
  const account = key.slice(0, key.indexOf(' '))
  const counts = { at: 0, day: 0, known: 0, untold: 0, blockedUntil: 0, part: [...windows.map(() => 0), 0], touched: 0 }
  const exchange = { busy: undefined, asks: [], told: new Map(), askedAt: Number.NEGATIVE_INFINITY }
  return { key, account, times: [], ...counts, waiting: [], working: false, ...exchange }
}

/** The answer that needs nobody else: what every process would refuse, and what fits into this one's part. */
export function decideAlone(caller: Caller, at: number, rules: LimitRules): Standing | undefined {
  keepTime(caller, at, rules)
  if (caller.blockedUntil > 0) return standing(caller, rules, 'block')
  // Before the windows: a call past the day starts no block.
  if (caller.known + caller.untold >= rules.day) return standing(caller, rules, 'day')
  if (used(caller, rules).some((calls, limit) => calls >= caller.part[limit]!)) return undefined
  caller.times.push(Math.max(at, caller.times.at(-1) ?? at))
  caller.untold++
  return standing(caller, rules)
}

/** Answers the waiting calls as far as that goes. */
export function answerAlone(caller: Caller, rules: LimitRules) {
  for (let [first] = caller.waiting; first; [first] = caller.waiting) {
    const answer = decideAlone(caller, first.at, rules)
    if (!answer) return
    caller.waiting.shift()
    first.resolve(answer)
  }
}

export function standing(
  { at, day, known, untold, blockedUntil }: Caller,
  rules: LimitRules,
  reason?: string,
): Standing {
  const remaining = Math.max(0, rules.day - known - untold)
  const resetSeconds = secondsUntil(day + dayLength, at)
  if (!reason) return { admitted: true, remaining, resetSeconds }
  const retryAfter = reason === 'day' ? resetSeconds : secondsUntil(blockedUntil, at)
  return { admitted: false, reason, remaining, resetSeconds, retryAfter }
}

/** How much of each limit was used here. */
export function used({ times, at, untold }: Caller, { windows }: LimitRules): number[] {
  const calls = windows.map(({ seconds }) => times.length - firstAfter(times, at - seconds * 1000))
  calls.push(untold)
  return calls
}

/** The limits of which this process has nothing left. */
export function lacking(caller: Caller, rules: LimitRules): number[] {
  return used(caller, rules).flatMap((calls, limit) => (calls < caller.part[limit]! ? [] : [limit]))
}

/** Gives whoever asks a fair share of what can be spared of the part. */
export function give(caller: Caller, { lacks, of }: Ask, rules: LimitRules) {
  const calls = used(caller, rules)
  for (const limit of lacks) {
    const spare = Math.max(0, caller.part[limit]! - calls[limit]!)
    caller.part[limit]! -= Math.ceil(spare / (of.length + 1))
  }
}

/** Moves on to the given moment: forgets calls that have left every window, a block that is over, and the day before. */
export function keepTime(caller: Caller, at: number, rules: LimitRules) {
  const { times } = caller
  caller.at = at
  // Calls of a time yet to come were made before the clock was set back.
  if ((times.at(-1) ?? at) > at + 5_000) times.length = 0
  const longest = rules.windows.reduce((most, { seconds }) => Math.max(most, seconds), 0)
  const old = firstAfter(times, at - longest * 1000)
  if (old > 200 || old === times.length) times.splice(0, old)
  if (!isBlocked(caller.blockedUntil, at, rules)) caller.blockedUntil = 0
  if (caller.day !== dayOf(at)) Object.assign(caller, { day: dayOf(at), known: 0, untold: 0 })
}

/** The place of the first call later than that. */
function firstAfter(times: number[], time: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! > time) high = middle
    else low = middle + 1
  }
  return low
}

function secondsUntil(time: number, at: number): number {
  return Math.max(1, Math.ceil((time - at) / 1000))
}
