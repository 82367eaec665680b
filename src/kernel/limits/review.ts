import { retention, unwritten } from './call-log.ts'
import type { Caller } from './caller.ts'
import { type Counting, lease, silence } from './counting.ts'
import { countSince, type Decision, decide } from './decide.ts'
import type { Message } from './messages.ts'
import type { LimitRow } from './row.ts'
import { fiveSecondWindow, secondWindow } from './rules.ts'

export interface OtherProcess {
  id: string
  seen: Date
}

export interface Review {
  /** `left`: this process may decide by itself again. `waiting`: others have yet to hand in their calls. */
  outcome: 'left' | 'waiting' | 'decided'
  shared: boolean
  row: LimitRow
  decisions: Decision[]
  /** What of the row is to be written. */
  write: 'nothing' | 'counts' | 'all'
  messages: Message[]
}

export interface Wish {
  /** The calls cannot be decided from memory: the row must decide, and be shared for it if others count too. */
  open: boolean
  /** The others were asked a while ago. */
  remind: boolean
  /** They were asked so long ago that whoever is missing is not there. */
  impatient: boolean
}

/** For how long a user stays shared after the last moment it was needed: twice the longest window. */
const sharing = 2 * fiveSecondWindow
/** Clocks may differ by this much: so close to the end of sharing it is begun anew instead of drawn out. */
const guard = 1_000

/** What the row means for the waiting calls. `others` are all processes that may come back without a new introduction. */
export function review(counting: Counting, caller: Caller, held: LimitRow, others: OtherProcess[], wish: Wish): Review {
  const now = counting.clock.now().getTime()
  const arrivals = caller.waiting.map(({ at }) => at)
  const shared = now < held.sharedUntil
  const asItIs = { shared, row: held, decisions: [], write: 'nothing' as const, messages: [] }
  if (!shared && !wish.open) return { ...asItIs, outcome: 'left' }
  if (now < held.blockedUntil || held.dayCount >= counting.rules.day) {
    return { ...asItIs, outcome: 'decided', decisions: decide({ ...held, calls: [] }, arrivals, counting.rules) }
  }
  const row = withOwn(held, caller, now)
  if (shared) return reviewShared(counting, caller, row, others, wish, now)
  if (others.length > 0) return begun(counting, caller, row, now)
  return { ...settled(counting, caller, row, arrivals), shared, write: 'counts' }
}

function reviewShared(
  counting: Counting,
  caller: Caller,
  row: LimitRow,
  others: OtherProcess[],
  { remind, impatient }: Wish,
  now: number,
): Review {
  const joins = !row.sharers.includes(counting.self.id)
  const present = joins ? [...row.sharers, counting.self.id] : row.sharers
  const news = joins ? [messageAbout(counting, caller, 'handedIn')] : []
  const missing = others
    .filter(({ id, seen }) => !present.includes(id) && seen.getTime() >= now - silence)
    .map(({ id }) => id)
  if (missing.length > 0 && now < row.sharedSince + lease && !impatient) {
    // A process that arrived after sharing began has not been asked yet.
    const asks = remind && caller.waiting.length > 0
    const messages = asks ? [...news, messageAbout(counting, caller, 'share')] : news
    return {
      outcome: 'waiting',
      shared: true,
      row: { ...row, sharers: present },
      decisions: [],
      write: 'all',
      messages,
    }
  }
  // Whoever was waited for in vain is not waited for again.
  const sharers = [...present, ...missing]
  const arrivals = caller.waiting.map(({ at }) => at)
  const result = settled(counting, caller, { ...row, sharers }, arrivals)
  result.messages.push(...news)
  if (!isNeeded(counting, result.row, now)) return result
  if (now >= row.sharedUntil - guard) return begun(counting, caller, row, now)
  result.row.sharedUntil = now + sharing
  return result
}

/** The row together with what only this process knows; every step that writes hands it in. */
function withOwn(held: LimitRow, caller: Caller, now: number): LimitRow {
  const calls = [...held.calls, ...unwritten(caller.log)].filter((time) => time > now - retention)
  const untold = caller.day === held.day ? caller.unflushed : 0
  return { ...held, calls: calls.sort((one, other) => one - other), dayCount: held.dayCount + untold }
}

function begun(counting: Counting, caller: Caller, row: LimitRow, now: number): Review {
  const shared = { ...row, sharedSince: now, sharedUntil: now + sharing, sharers: [counting.self.id] }
  const messages = [messageAbout(counting, caller, 'share')]
  return { outcome: 'waiting', shared: true, row: shared, decisions: [], write: 'all', messages }
}

/** Everybody's calls are in the row: it decides, and its count is what all agree on. */
function settled(
  { rules, self }: Counting,
  { accountId, userId }: Caller,
  before: LimitRow,
  arrivals: number[],
): Review {
  const row = { ...before, calls: [...before.calls] }
  const decisions = decide(row, arrivals, rules)
  row.dayBase = row.dayCount
  const until = row.blockedUntil
  const blocks = until !== before.blockedUntil
  const messages: Message[] = blocks ? [{ kind: 'blocked', from: self.id, accountId, userId, until }] : []
  return { outcome: 'decided', shared: true, row, decisions, write: 'all', messages }
}

/** More than half of one process's part: sharing ends only when every process is well within its own part. */
function isNeeded({ self }: Counting, { calls }: LimitRow, now: number): boolean {
  return (
    2 * countSince(calls, now - secondWindow) > self.second ||
    2 * countSince(calls, now - fiveSecondWindow) > self.fiveSeconds
  )
}

function messageAbout({ self }: Counting, { accountId, userId }: Caller, kind: 'share' | 'handedIn'): Message {
  return { kind, from: self.id, accountId, userId }
}
