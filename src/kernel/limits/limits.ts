import { randomUUID } from 'node:crypto'
import { Refusal } from '../errors.ts'
import {
  type Caller,
  type Counting,
  decideLocally,
  decideWaitingLocally,
  decisionOf,
  type LimitOptions,
} from './caller.ts'
import { callerOf, inBackground, publishCounts, receiveMessage, requestShares, takeFreeShare } from './parts.ts'
import { channel, deleteOldRows, startBlock } from './row.ts'
import { type Decision, policyOf } from './rules.ts'

export type { Decision, LimitRules } from './rules.ts'

export interface Limits {
  /** Synchronous while the caller is within this process's share of the limits; otherwise the row decides. */
  admit(accountId: string, callerId: string): Decision | Promise<Decision>
  /** The value of the RateLimit-Policy header. */
  readonly policy: string
  /** Runs the work of one beat, which otherwise happens every second. */
  beat(): Promise<void>
  /** Hands its shares and counts over to the other processes. */
  close(): Promise<void>
}

/** Beats after which an idle caller is dropped from memory, and between deletions of old rows. */
const idleBeats = 60
const cleanupBeats = 3_600

/** Counts calls together with every other process of the installation; see README.md. */
export async function openLimits(options: LimitOptions): Promise<Limits> {
  const memory = {
    id: randomUUID(),
    callers: new Map(),
    gone: new Set<string>(),
    pendingWork: new Set<Promise<void>>(),
  }
  const counting: Counting = { report: () => {}, every: 1_000, pace: 100, ...options, ...memory }
  const { callers, pendingWork, clock, rules, report } = counting
  let beats = 0
  let closed = false
  let left = false
  await counting.listener.on(channel, (payload) => !left && receiveMessage(counting, payload))

  const isIdle = ({ lastBeat, waiting }: Caller) => lastBeat < beats - idleBeats && waiting.length === 0
  const beat = async () => {
    if (closed) return
    beats++
    const idle = [...callers.values()].filter(isIdle)
    await publishCounts(counting, idle, true)
    for (const caller of idle) if (isIdle(caller) && caller.unrecorded === 0) callers.delete(caller.key)
    const active = [...callers.values()].filter(({ unrecorded }) => unrecorded > 0)
    await publishCounts(counting, active)
    if (beats % cleanupBeats === 1) await deleteOldRows(counting).catch(report)
  }
  const timer = setInterval(() => inBackground(counting, beat()), counting.every).unref()

  return {
    admit(accountId, callerId) {
      const at = clock.now().getTime()
      const caller = callerOf(counting, `${accountId} ${callerId}`)
      caller.lastBeat = beats
      // First come, first served.
      const answer = caller.waiting.length === 0 && decideLocally(caller, at, rules)
      if (answer) return answer
      if (closed)
        throw new Refusal('unavailable', 'The service is stopping. Try again in a few seconds.', { retryAfter: 5 })
      return new Promise((resolve, reject) => {
        caller.waiting.push({ at, resolve, reject })
        if (!caller.working) inBackground(counting, decideWaiting(counting, caller))
      })
    },
    policy: policyOf(rules),
    beat,
    async close() {
      clearInterval(timer)
      closed = true
      while (pendingWork.size > 0) await Promise.allSettled(pendingWork)
      left = true
      await publishCounts(counting, [...callers.values()], true)
    },
  }
}

/** Decides calls that exceed this process's share, using the row and the other processes. */
async function decideWaiting(counting: Counting, caller: Caller) {
  const { rules } = counting
  caller.working = true
  try {
    let responses = new Map<string, number[]>()
    while (caller.waiting.length > 0) {
      const { first, lacks, taken, others } = await takeFreeShare(counting, caller)
      if (!first) responses.clear()
      if (!first || !lacks.every((limit) => taken.includes(limit))) continue
      const isFull = (limit: number) => others.every(([id, part]) => part[limit]! <= (responses.get(id)?.[limit] ?? -1))
      // The daily limit is checked first: a call beyond it starts no block.
      const full = lacks.includes(rules.windows.length) ? undefined : lacks.find(isFull)
      const holders = others.map(([id]) => id)
      if (full === undefined) responses = await requestShares(counting, caller, holders, lacks)
      else await refuse(counting, caller, rules.windows[full]!.name)
    }
  } catch (error) {
    for (const { reject } of caller.waiting.splice(0)) reject(error)
  } finally {
    caller.working = false
  }
}

/** The first waiting call starts a block, unless another process was faster: then the row shows it. */
async function refuse(counting: Counting, caller: Caller, window: string) {
  const { rules } = counting
  const { at, resolve } = caller.waiting[0]!
  const until = at + rules.blockSeconds * 1000
  if (!(await startBlock(counting, caller, at, until))) return
  caller.waiting.shift()
  caller.blockedUntil = until
  resolve(decisionOf({ ...caller, at }, rules, window))
  decideWaitingLocally(caller, rules)
}
