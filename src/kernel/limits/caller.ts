import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Listener } from '../database/listener.ts'
import { type Decision, dayLength, dayOf, isBlocked, type LimitRules } from './rules.ts'

export interface LimitOptions {
  database: Database
  listener: Listener
  clock: Clock
  rules: LimitRules
  report?: (error: unknown) => void
  /** Milliseconds between beats, and between two requests to other processes about a caller. */
  every?: number
  pace?: number
}

/** The state one process needs to count calls. */
export interface Counting extends Required<LimitOptions> {
  /** Id of this process among those that count. */
  readonly id: string
  readonly callers: Map<string, Caller>
  /** Processes that did not respond and have sent nothing since. */
  readonly gone: Set<string>
  readonly pendingWork: Set<Promise<void>>
}

/** One caller, as this process knows it. */
export interface Caller {
  readonly key: string
  readonly account: string
  /** Times of the calls admitted here, in order, and the time at which they are evaluated. */
  readonly times: number[]
  at: number
  /** The current day, its calls recorded in the row, and those admitted here that are not recorded yet. */
  day: number
  known: number
  unrecorded: number
  blockedUntil: number
  /** This process's share: the maximum calls in each window and, last, the unrecorded calls of the day that it may admit by itself. */
  share: number[]
  /** The beat of its last call. */
  lastBeat: number
  /** Calls that exceed the share, and whether they are being processed. Each counts from its arrival. */
  readonly waiting: { at: number; resolve(decision: Decision): void; reject(error: unknown): void }[]
  working: boolean
  /** Settles with the running statement about the share. */
  busy: Promise<unknown> | undefined
  /** Processes that request part of the share: which limits, and from whom. */
  readonly requests: ShareRequest[]
  /** How much of their shares other processes have used, according to their last response, and when that was requested. */
  responses: Map<string, number[]>
  requestedAt: number
}

interface ShareRequest {
  from: string
  of: string[]
  lacks: number[]
}

export function newCaller(key: string, { windows }: LimitRules): Caller {
  const account = key.slice(0, key.indexOf(' '))
  const counts = {
    at: 0,
    day: 0,
    known: 0,
    unrecorded: 0,
    blockedUntil: 0,
    share: [...windows.map(() => 0), 0],
    lastBeat: 0,
  }
  const exchange = { busy: undefined, requests: [], responses: new Map(), requestedAt: Number.NEGATIVE_INFINITY }
  return { key, account, times: [], ...counts, waiting: [], working: false, ...exchange }
}

/** Decides without other processes: calls that every process would refuse, and calls that fit into this one's share. */
export function decideLocally(caller: Caller, at: number, rules: LimitRules): Decision | undefined {
  advance(caller, at, rules)
  if (caller.blockedUntil > 0) return decisionOf(caller, rules, 'block')
  // Before the windows: a call beyond the daily limit starts no block.
  if (caller.known + caller.unrecorded >= rules.day) return decisionOf(caller, rules, 'day')
  if (used(caller, rules).some((calls, limit) => calls >= caller.share[limit]!)) return undefined
  caller.times.push(Math.max(at, caller.times.at(-1) ?? at))
  caller.unrecorded++
  return decisionOf(caller, rules)
}

/** Answers as many waiting calls as possible. */
export function decideWaitingLocally(caller: Caller, rules: LimitRules) {
  for (let [first] = caller.waiting; first; [first] = caller.waiting) {
    const answer = decideLocally(caller, first.at, rules)
    if (!answer) return
    caller.waiting.shift()
    first.resolve(answer)
  }
}

export function decisionOf(
  { at, day, known, unrecorded, blockedUntil }: Caller,
  rules: LimitRules,
  reason?: string,
): Decision {
  const remaining = Math.max(0, rules.day - known - unrecorded)
  const resetSeconds = secondsUntil(day + dayLength, at)
  if (!reason) return { admitted: true, remaining, resetSeconds }
  const retryAfter = reason === 'day' ? resetSeconds : secondsUntil(blockedUntil, at)
  return { admitted: false, reason, remaining, resetSeconds, retryAfter }
}

/** Usage of each limit in this process. */
export function used({ times, at, unrecorded }: Caller, { windows }: LimitRules): number[] {
  const calls = windows.map(({ seconds }) => times.length - firstAfter(times, at - seconds * 1000))
  calls.push(unrecorded)
  return calls
}

/** The limits of which this process has nothing left. */
export function lacking(caller: Caller, rules: LimitRules): number[] {
  return used(caller, rules).flatMap((calls, limit) => (calls < caller.share[limit]! ? [] : [limit]))
}

/** Gives the requesting process a fair part of the unused share. */
export function releaseShare(caller: Caller, { lacks, of }: ShareRequest, rules: LimitRules) {
  const calls = used(caller, rules)
  for (const limit of lacks) {
    const spare = Math.max(0, caller.share[limit]! - calls[limit]!)
    caller.share[limit]! -= Math.ceil(spare / (of.length + 1))
  }
}

/** Advances to the given time: drops calls that have left every window, an expired block, and the previous day. */
export function advance(caller: Caller, at: number, rules: LimitRules) {
  const { times } = caller
  caller.at = at
  // Calls with a future time were made before the clock was set back.
  if ((times.at(-1) ?? at) > at + 5_000) times.length = 0
  const longest = rules.windows.reduce((most, { seconds }) => Math.max(most, seconds), 0)
  const old = firstAfter(times, at - longest * 1000)
  if (old > 200 || old === times.length) times.splice(0, old)
  if (!isBlocked(caller.blockedUntil, at, rules)) caller.blockedUntil = 0
  if (caller.day !== dayOf(at)) Object.assign(caller, { day: dayOf(at), known: 0, unrecorded: 0 })
}

/** Index of the first call after that time. */
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
