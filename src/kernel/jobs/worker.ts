import { change, systemActor } from '../change.ts'
import { afterSetBack } from '../clock.ts'
import { type BatchLimits, defaultBatchLimits } from '../database/across-accounts.ts'
import type { Listener } from '../database/listener.ts'
import type { Installation } from '../installation.ts'
import type { Log } from '../log.ts'
import { defaultPollingIntervals } from '../polling-intervals.ts'
import { createDueAccounts, createScan, type DueAccounts, parseNotification } from './due-accounts.ts'
import { defaultRetryDelays, type Job, type JobContext, type Queue, queues } from './job.ts'
import type { WorkerRegistration } from './lease.ts'
import {
  type ClaimedJob,
  claimJobs,
  completeJob,
  enqueueRecurring,
  failJob,
  jobsChannel,
  LostJob,
  type RecurringJob,
  releaseAbandonedJobs,
  releaseWorkerJobs,
  rescheduleAfterClockChange,
  waitingJobs,
} from './queue.ts'
import { claimFairly, scanLookahead, startPollLoop } from './scheduler.ts'

interface JobInstallation extends Installation {
  log: Log
}

interface WorkerOptions extends JobInstallation {
  listener: Listener
  registration: WorkerRegistration
  jobs: readonly Job<never>[]
  recurring: readonly RecurringJob[]
  /** Former job names, under which an older version running beside this one may enqueue. */
  aliases?: { readonly [former: string]: string }
  /** Milliseconds between scans over all accounts. */
  scanInterval?: number
  limits?: BatchLimits
}

export interface JobWorker {
  /** Claims no more jobs, waits for running ones, and releases the rest. */
  stop(): Promise<void>
}

/** Milliseconds to wait for running jobs when stopping. */
const stopTimeout = 8000

/** Runs jobs in this process until stopped. Any number of processes may do so concurrently. */
export async function startWorker(options: WorkerOptions): Promise<JobWorker> {
  const { database, registration, listener, clock, log } = options
  const { scanInterval = defaultPollingIntervals.jobs, limits = defaultBatchLimits } = options
  const { shared } = database
  const byName = new Map<string, Job<never>>(options.jobs.map((job) => [job.name, job]))
  const findJob = (name: string) => byName.get(name) ?? byName.get(options.aliases?.[name] ?? '')
  let stopping = false

  const pools = new Map(
    (Object.keys(queues) as Queue[]).map((queue): [Queue, Pool] => [
      queue,
      { accounts: createDueAccounts(limits.trackedAccounts), slots: createSlots(queues[queue].slots) },
    ]),
  )
  const claimQueue = async (queue: Queue, { accounts, slots }: Pool) => {
    const lease = registration.current()
    if (stopping || !lease) return
    const { maxPerAccount } = queues[queue]
    const now = clock.now()
    await claimFairly<ClaimedJob>({
      accounts,
      now,
      limits,
      maxPerAccount,
      freeSlots: slots.free,
      running: slots.usedBy,
      claim: (loads, count) =>
        claimJobs(shared, { queue, worker: lease.id, now, count, maxPerAccount, accounts: loads }),
      start(claim) {
        const running = runJob(options, findJob(claim.name), claim, lease.signal).then((retryAt) => {
          if (retryAt) accounts.add(claim.account, retryAt)
        })
        slots.use(claim.account, running).finally(() => loop.wake())
      },
    })
  }
  const onError = (error: unknown) => log.error({ err: error }, 'claiming jobs failed')
  const handleClockChange = afterSetBack(clock, (now) => rescheduleAfterClockChange(shared, options.jobs, now, limits))
  const findDue = createScan(shared, waitingJobs, limits.trackedAccounts)
  const scan = async () => {
    try {
      await handleClockChange()
      await releaseAbandonedJobs(shared, clock.now(), limits)
      await enqueueRecurring(database, options.recurring, clock.now())
    } catch (error) {
      log.error({ err: error }, 'queue maintenance failed')
    }
    const found = await findDue(new Date(clock.now().getTime() + scanLookahead(scanInterval)))
    for (const [queue, { accounts }] of pools) accounts.addScanned(found.get(queue) ?? [])
  }
  const loop = startPollLoop({
    clock,
    dueAccounts: [...pools.values()].map(({ accounts }) => accounts),
    scanInterval,
    scan,
    claim: async () => {
      await Promise.all(Array.from(pools, ([queue, pool]) => claimQueue(queue, pool).catch(onError)))
    },
    onError,
  })
  registration.onWorkerLost(loop.scanNow)
  listener.on(jobsChannel, (payload) => {
    const notification = parseNotification(payload)
    const pool = notification && pools.get(notification.kind as Queue)
    if (!pool) return loop.scanNow()
    pool.accounts.add(notification.account, notification.due)
    loop.wake()
  })

  return {
    async stop() {
      stopping = true
      await loop.stop()
      const running = [...pools.values()].flatMap(({ slots }) => slots.running())
      await Promise.race([Promise.all(running), new Promise((resolve) => setTimeout(resolve, stopTimeout))])
      const lease = registration.current()
      if (lease) await releaseWorkerJobs(shared, lease.id, clock.now(), limits)
    },
  }
}

interface Pool {
  accounts: DueAccounts
  slots: ReturnType<typeof createSlots>
}

/** The slots of one queue in this process, counted by account. */
function createSlots(size: number) {
  const used = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const count = (account: string, by: number) => {
    const total = (used.get(account) ?? 0) + by
    if (total > 0) used.set(account, total)
    else used.delete(account)
  }
  return {
    free: () => size - running.size,
    usedBy: (account: string) => used.get(account) ?? 0,
    use(account: string, work: Promise<void>) {
      count(account, 1)
      const done = work.finally(() => {
        count(account, -1)
        running.delete(done)
      })
      running.add(done)
      return done
    },
    running: () => [...running],
  }
}

/** Runs a claimed job until it is complete, retried, dead, or lost to another process. Returns when it is retried. */
async function runJob(
  installation: JobInstallation,
  job: Job<never> | undefined,
  claim: ClaimedJob,
  signal: AbortSignal,
): Promise<Date | undefined> {
  const { database, clock, log } = installation
  try {
    if (!job) throw new Error(`This version knows no job "${claim.name}".`)
    const limit = openLimit(signal, job.timeout)
    const { context, isFinished } = createContext(installation, claim, limit.signal)
    await Promise.race([job.run(context, claim.payload as never), rejectOnAbort(limit.signal)])
    // Not after a failure: the limit also ends what a failed job has left running.
    limit.release()
    if (!isFinished()) await completeJob(database.shared, claim)
    return undefined
  } catch (error) {
    if (error instanceof LostJob) {
      log.warn({ job: claim.id, name: claim.name }, 'job lost to another process')
      return undefined
    }
    // A job this version does not know is retried as well: it may be claimed by a newer version then.
    const delay = (job?.retryDelays ?? defaultRetryDelays)[claim.attempts - 1]
    const retryAt = delay === undefined ? undefined : new Date(clock.now().getTime() + delay)
    log.warn({ job: claim.id, name: claim.name, attempt: claim.attempts, dead: !retryAt, err: error }, 'job failed')
    await failJob(database.shared, claim, String((error as Error)?.message ?? error), retryAt).catch((lost) =>
      // The lease ends with this process, and another one claims the job.
      log.error({ job: claim.id, err: lost }, 'recording a job failure failed'),
    )
    return retryAt
  }
}

function createContext(installation: JobInstallation, claim: ClaimedJob, signal: AbortSignal) {
  let finished = false
  const { database, clock, log } = installation
  const now = clock.now()
  const step: JobContext['transaction'] = (accountId, work) => change(installation, systemActor(accountId, now), work)
  const context: JobContext = {
    id: claim.id,
    now,
    attempt: claim.attempts,
    signal,
    shared: database.shared,
    log,
    transaction: step,
    async complete(accountId, work) {
      const result = await step(accountId, async (inside) => {
        // First, so that a process that has lost the job waits for no lock and changes nothing.
        await completeJob(inside.db, claim)
        return work(inside)
      })
      finished = true
      return result
    },
  }
  return { context, isFinished: () => finished }
}

/**
 * A signal that aborts when the lease is lost or the time is over. `AbortSignal.any` is no alternative: Node.js never frees a combined
 * signal that has a listener, so each finished job would keep one.
 */
function openLimit(lease: AbortSignal, milliseconds: number) {
  const controller = new AbortController()
  const { signal } = controller
  const onLost = () => controller.abort(lease.reason)
  const timer = setTimeout(() => controller.abort(timedOut()), milliseconds)
  timer.unref()
  const release = () => {
    clearTimeout(timer)
    lease.removeEventListener('abort', onLost)
  }
  signal.addEventListener('abort', release, { once: true })
  if (lease.aborted) onLost()
  else lease.addEventListener('abort', onLost, { once: true })
  return { signal, release }
}

const timedOut = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError')

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () =>
      reject(new Error(signal.reason instanceof Error ? signal.reason.message : 'The job was stopped.'))
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}
