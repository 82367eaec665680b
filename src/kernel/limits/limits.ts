import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Listener } from '../database/listener.ts'
import { Refusal } from '../errors.ts'
import { addCaller, findCaller, isBusy } from './caller.ts'
import { coalesce } from './coalesce.ts'
import { beatInterval, type Counting } from './counting.ts'
import { flush, forgetIdle, handOver } from './flush.ts'
import { hear } from './hear.ts'
import { isHeard, showAndListen } from './heartbeat.ts'
import { learnProcesses, newMembership } from './membership.ts'
import { channel, tell } from './messages.ts'
import { admitAtOnce, refuseAtOnce } from './quiet.ts'
import { type LimitRules, policyOf, type Standing } from './rules.ts'
import { answerLater } from './work.ts'

export type { LimitRules, Standing } from './rules.ts'

export interface Limits {
  /** Answers at once while the user is far from every limit; otherwise the row they share with other processes decides. */
  admit(accountId: string, userId: string): Standing | Promise<Standing>
  /** The value of the RateLimit-Policy header. */
  readonly policy: string
  /** What otherwise happens every second. */
  beat(): Promise<void>
  /** Hands everything over to the processes that go on or come next. */
  close(): Promise<void>
}

export interface LimitOptions {
  database: Database
  listener: Listener
  clock: Clock
  rules: LimitRules
  report?: (error: unknown) => void
}

/** Counts calls together with every other process of the installation; README.md says why the counts are exact. */
export async function openLimits({ listener, report = () => {}, ...options }: LimitOptions): Promise<Limits> {
  const { clock, rules } = options
  const counting: Counting = {
    ...options,
    report,
    callers: new Map(),
    self: newMembership(),
    dirty: [],
    flushing: Promise.resolve(),
    works: new Set(),
    steps: new Set(),
    beat: coalesce(() => showAndListen(counting, learn)),
  }
  const learn = coalesce(() => learnProcesses(counting))
  const { self } = counting
  listener.on(channel, (payload) => hear(counting, payload, learn))
  await untilHeard(counting)
  await untilAccepted(counting)

  const tellCounts = coalesce(() => flush(counting))
  const everySecond = async () => {
    await Promise.all([tellCounts(), counting.beat()])
    forgetIdle(counting)
  }
  const timer = setInterval(everySecond, beatInterval).unref()

  return {
    admit(accountId, userId) {
      const at = clock.now().getTime()
      const caller =
        findCaller(counting.callers, accountId, userId) ?? addCaller(counting.callers, accountId, userId, at)
      caller.touched = at
      const refusal = refuseAtOnce(counting, caller, at)
      if (refusal) return refusal
      if (self.closed)
        throw new Refusal('unavailable', 'The service is stopping. Try again in a few seconds.', { retryAfter: 5 })
      return (!isBusy(caller) && admitAtOnce(counting, caller, at)) || answerLater(counting, caller, at)
    },
    policy: policyOf(rules),
    beat: everySecond,
    async close() {
      clearInterval(timer)
      self.closed = true
      while (counting.works.size > 0 || counting.steps.size > 0) {
        await Promise.allSettled([...counting.works, ...counting.steps])
      }
      // Whatever the last second began has ended after this.
      await Promise.all([tellCounts(), counting.beat()])
      await handOver(counting)
      await leave(counting).catch(report)
    },
  }
}

/** The others must not wait for a process that cannot hear them yet. */
async function untilHeard(counting: Counting) {
  const begun = counting.clock.now().getTime()
  for (let tries = 0; tries < 10; tries++) if (await isHeard(counting, begun, 100)) return
}

/** Usually a few milliseconds; where a process was killed just now, its silence is not waited out. */
async function untilAccepted(counting: Counting) {
  for (let tries = 0; tries < 20 && !counting.self.accepted; tries++) {
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 50))
    await counting.beat()
  }
}

async function leave({ database, clock, self }: Counting) {
  const row = database.shared.updateTable('callCounters').where('id', '=', self.id)
  await row.set({ closed: true, seen: clock.now() }).execute()
  await tell(database.shared, { kind: 'closed', from: self.id })
}
