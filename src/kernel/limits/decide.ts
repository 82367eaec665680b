import { fiveSecondWindow, isBlocked, type LimitRules, type Reason, secondWindow } from './rules.ts'

/** Everything the rules look at, for one user, over all processes. */
export interface Ledger {
  /** Admitted calls, in order of time. */
  calls: number[]
  dayCount: number
  blockedUntil: number
}

export interface Decision {
  at: number
  reason: Reason | undefined
  dayCount: number
  blockedUntil: number
}

/** Decides calls in turn and enters the admitted ones. The refused call that starts a block is the only one that sets it. */
export function decide(ledger: Ledger, arrivals: number[], rules: LimitRules): Decision[] {
  return arrivals.map((at) => {
    const reason = enter(ledger, at, rules)
    return { at, reason, dayCount: ledger.dayCount, blockedUntil: ledger.blockedUntil }
  })
}

export function countSince(calls: number[], time: number): number {
  let first = calls.length
  while (first > 0 && calls[first - 1]! > time) first--
  return calls.length - first
}

function enter(ledger: Ledger, at: number, rules: LimitRules): Reason | undefined {
  if (isBlocked(ledger, at, rules)) return 'block'
  if (ledger.dayCount >= rules.day) return 'day'
  const place = ledger.calls.length - countSince(ledger.calls, at)
  ledger.calls.splice(place, 0, at)
  const reason = exceeded(ledger.calls, place, rules)
  if (!reason) {
    ledger.dayCount++
    return undefined
  }
  ledger.calls.splice(place, 1)
  ledger.blockedUntil = at + rules.blockSeconds * 1000
  return reason
}

function exceeded(calls: number[], place: number, rules: LimitRules): Reason | undefined {
  if (tooMany(calls, place, rules.second, secondWindow)) return 'second'
  if (tooMany(calls, place, rules.fiveSeconds, fiveSecondWindow)) return 'fiveSeconds'
}

/** Calls of two processes may arrive out of order by a moment: every window that holds the new call is looked at. */
function tooMany(calls: number[], place: number, limit: number, window: number): boolean {
  for (let last = place; last < calls.length && last <= place + limit; last++) {
    const first = last - limit
    if (first >= 0 && calls[last]! - calls[first]! < window) return true
  }
  return false
}
