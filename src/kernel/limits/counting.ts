import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Caller, Callers } from './caller.ts'
import type { LimitRules } from './rules.ts'

/** Everything one process needs to count calls. */
export interface Counting {
  readonly database: Database
  readonly clock: Clock
  readonly rules: LimitRules
  readonly report: (error: unknown) => void
  readonly callers: Callers
  readonly self: Membership
  /** Callers whose calls the row has not been told of. */
  dirty: Caller[]
  /** Ends with the flush under way. */
  flushing: Promise<void>
  /** Shows the others that this process lives, learns who they are and renews the lease. Never rejects. */
  readonly beat: () => Promise<void>
  /** Answers being worked out, and steps on a row under way. */
  readonly works: Set<Promise<void>>
  readonly steps: Set<Promise<unknown>>
}

/** This process among those that count. */
export interface Membership {
  id: string
  /** How many processes share the limits, and so what each may admit without asking. */
  processes: number
  second: number
  fiveSeconds: number
  /** The processes its own row in call_counters names. */
  reckoned: Set<string>
  /** Every other process reckons with this one. */
  accepted: boolean
  closed: boolean
  /** Until then it has heard everything the others told. */
  leaseUntil: number
  /** The database could not be reached when last tried. */
  cutOff: boolean
  /** Its own notifications do not come back. */
  deaf: boolean
  beatNumber: number
  /** Beats up to this one prove nothing. */
  beatFloor: number
  onBeat: (number: number) => void
}

/** How often a process shows that it lives and flushes its counts. */
export const beatInterval = 1_000
/** For how long a heard beat entitles a process to decide by itself. */
export const lease = 2_500
/** Past this a silent process is not waited for: its lease is over, also by a clock that is 1.5 s off. */
export const silence = 4_000
/** Past this its calls have left every window (lease + 5 s), and its part of the limits goes to the others. */
export const absence = 10_000

export function mayDecideAlone({ accepted, closed, leaseUntil, cutOff }: Membership, now: number): boolean {
  return accepted && !closed && (now < leaseUntil || cutOff)
}

/** Each process may admit its part by itself: the parts cannot add up to more than the whole. */
export function divide(self: Membership, rules: LimitRules, processes: number) {
  self.processes = processes
  self.second = Math.floor(rules.second / processes)
  self.fiveSeconds = Math.floor(rules.fiveSeconds / processes)
}
