import { append, type CallLog, newLog } from './call-log.ts'
import type { LimitRow } from './row.ts'
import { dayLength, dayOf, fiveSecondWindow, type Standing } from './rules.ts'

/** One user, as this process knows it. */
export interface Caller {
  readonly accountId: string
  readonly userId: string
  /** Calls admitted here, and those the row held when the user was first seen: nobody else answers for those any more. */
  readonly log: CallLog
  day: number
  /** The day's count and base in the row when last looked at. */
  known: number
  base: number
  /** Calls of the day the row has not been told of, and those being told right now. */
  unflushed: number
  flushing: number
  blockedUntil: number
  /** Until then every call is decided on the row; 0 when this process decides by itself. */
  sharedUntil: number
  loaded: boolean
  /** What has to happen before this process may decide by itself again. */
  must: 'nothing' | 'look' | 'share'
  touched: number
  dirty: boolean
  waiting: WaitingCall[]
  working: boolean
  /** Ends with the last step on the row that is queued; `onRow` while one is under way. */
  turn: Promise<unknown>
  onRow: boolean
  /** How often another process has handed in calls of this user; `wake` tells whoever waits for that. */
  handedIn: number
  wake: () => void
}

export interface WaitingCall {
  /** When it came. */
  at: number
  resolve(standing: Standing): void
  reject(error: unknown): void
}

/** A call counts from when it came, unless it waited for so long that the calls around it may be forgotten. */
export function timeOf({ at }: WaitingCall, now: number): number {
  return Math.max(at, now - fiveSecondWindow / 2)
}

export type Callers = Map<string, Map<string, Caller>>

export function findCaller(callers: Callers, accountId: string, userId: string): Caller | undefined {
  return callers.get(accountId)?.get(userId)
}

export function addCaller(callers: Callers, accountId: string, userId: string, now: number): Caller {
  const ofAccount = callers.get(accountId) ?? new Map<string, Caller>()
  callers.set(accountId, ofAccount)
  const caller: Caller = {
    accountId,
    userId,
    log: newLog(),
    day: dayOf(now),
    known: 0,
    base: 0,
    unflushed: 0,
    flushing: 0,
    blockedUntil: 0,
    sharedUntil: 0,
    loaded: false,
    must: 'nothing',
    touched: now,
    dirty: false,
    waiting: [],
    working: false,
    turn: Promise.resolve(),
    onRow: false,
    handedIn: 0,
    wake: () => {},
  }
  ofAccount.set(userId, caller)
  return caller
}

export function* everyCaller(callers: Callers): Generator<Caller> {
  for (const ofAccount of callers.values()) yield* ofAccount.values()
}

/** While the row is looked at, or calls that came earlier wait for it, nothing may be decided or told beside it. */
export function isBusy({ onRow, waiting }: Caller): boolean {
  return onRow || waiting.length > 0
}

/** At midnight UTC every process starts from zero by itself; what the old day still owed no longer matters. */
export function startDay(caller: Caller, now: number) {
  if (now < caller.day + dayLength) return
  caller.day = dayOf(now)
  caller.known = 0
  caller.base = 0
  caller.unflushed = 0
}

/** Takes over the row's count; a row that is a day ahead belongs to a process whose clock passed midnight first. */
export function learnDay(caller: Caller, { day, dayCount, dayBase }: Pick<LimitRow, 'day' | 'dayCount' | 'dayBase'>) {
  if (day < caller.day) return
  if (day > caller.day) startDay(caller, day)
  caller.known = dayCount
  caller.base = dayBase
}

export function learnRow(caller: Caller, row: LimitRow, shared: boolean) {
  learnDay(caller, row)
  caller.blockedUntil = Math.max(caller.blockedUntil, row.blockedUntil)
  caller.sharedUntil = shared ? row.sharedUntil : 0
}

/** Counts the calls found in the row as this process's own: whoever made them may be gone. */
export function adoptCalls(caller: Caller, calls: number[]) {
  for (const time of calls) append(caller.log, time)
  caller.log.written = caller.log.end
}
