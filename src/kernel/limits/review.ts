import { retention, unwritten } from './call-log.ts'
import { type Caller, timeOf } from './caller.ts'
import { type Counting, lease, silence } from './counting.ts'
import { countSince, type Decision, decide } from './decide.ts'
import type { Message } from './messages.ts'
import type { LimitRow } from './row.ts'
import { fiveSecondWindow, isBlocked, secondWindow } from './rules.ts'

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
  /** `look`: learn how the user stands. `decide`: and decide on the row what cannot be decided from memory. */
  purpose: 'look' | 'decide' | 'share'
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
  const arrivals = caller.waiting.map((call) => timeOf(call, now))
  const shared = now < held.sharedUntil
  const asItIs = { shared, row: held, decisions: [], write: 'nothing' as const, messages: [] }
  if (!shared && wish.purpose === 'look') return { ...asItIs, outcome: 'left' }
  const handedIn = shared ? held.sharers.includes(counting.self.id) : wish.purpose !== 'share'
  if (handedIn && (isBlocked(held, now, counting.rules) || held.dayCount >= counting.rules.day)) {
    return { ...asItIs, outcome: 'decided', decisions: decide({ ...held, calls: [] }, arrivals, counting.rules) }
  }
  const row = withOwn(held, caller, now)
  const scene: Scene = { counting, caller, others, wish, now, arrivals }
  if (shared) return onShared(scene, row)
  if (others.length > 0) return begin(scene, row)
  return { ...settle(scene, row), shared, write: 'counts' }
}

interface Scene {
  counting: Counting
  caller: Caller
  others: OtherProcess[]
  wish: Wish
  now: number
  arrivals: number[]
}

function onShared(scene: Scene, row: LimitRow): Review {
  const { counting, others, wish, now, arrivals } = scene
  const { id } = counting.self
  const joins = !row.sharers.includes(id)
  const present = joins ? [...row.sharers, id] : row.sharers
  const news = joins ? [messageAbout(scene, 'handedIn')] : []
  const missing = others.filter((other) => !present.includes(other.id) && other.seen.getTime() >= now - silence)
  if (missing.length > 0 && now < row.sharedSince + lease && !wish.impatient) {
    // A process that arrived after sharing began has not been asked yet.
    if (wish.remind && arrivals.length > 0) news.push(messageAbout(scene, 'share'))
    const waiting = { ...row, sharers: present }
    return { outcome: 'waiting', shared: true, row: waiting, decisions: [], write: 'all', messages: news }
  }
  // Whoever was waited for in vain is not waited for again.
  const result = settle(scene, { ...row, sharers: [...present, ...missing.map((other) => other.id)] })
  result.messages.push(...news)
  if (!isNeeded(counting, result.row, now)) return result
  if (now >= row.sharedUntil - guard && others.length > 0) return begin(scene, row)
  result.row.sharedUntil = now + sharing
  return result
}

/** Asks every process for its calls of this user; what can be decided without them is decided at once. */
function begin(scene: Scene, row: LimitRow): Review {
  const { counting, now } = scene
  const shared = { ...row, sharedSince: now, sharedUntil: now + sharing, sharers: [counting.self.id] }
  const result = onShared({ ...scene, wish: { purpose: 'decide', remind: false, impatient: false } }, shared)
  return { ...result, messages: [messageAbout(scene, 'share'), ...result.messages] }
}

/** Everybody's calls are in the row: it decides, and its count is what all agree on. */
function settle({ counting, caller, arrivals }: Scene, before: LimitRow): Review {
  const row = { ...before, calls: [...before.calls] }
  const decisions = decide(row, arrivals, counting.rules)
  row.dayBase = row.dayCount
  const { accountId, userId } = caller
  const until = row.blockedUntil
  const blocks = until !== before.blockedUntil
  const messages: Message[] = blocks ? [{ kind: 'blocked', from: counting.self.id, accountId, userId, until }] : []
  return { outcome: 'decided', shared: true, row, decisions, write: 'all', messages }
}

/** The row together with what only this process knows; every step that writes hands it in. */
function withOwn(held: LimitRow, caller: Caller, now: number): LimitRow {
  const calls = [...held.calls, ...unwritten(caller.log)].filter((time) => time > now - retention)
  const untold = caller.day === held.day ? caller.unflushed : 0
  return { ...held, calls: calls.sort((one, other) => one - other), dayCount: held.dayCount + untold }
}

/** More than half of one process's part: sharing ends only when every process is well within its own part. */
function isNeeded({ self }: Counting, { calls }: LimitRow, now: number): boolean {
  return (
    2 * countSince(calls, now - secondWindow) > self.second ||
    2 * countSince(calls, now - fiveSecondWindow) > self.fiveSeconds
  )
}

function messageAbout({ counting, caller }: Scene, kind: 'share' | 'handedIn'): Message {
  return { kind, from: counting.self.id, accountId: caller.accountId, userId: caller.userId }
}
