import { change, systemActor } from '../change.ts'
import type { Installation } from '../installation.ts'
import type { Log } from '../log.ts'
import { type Claim, giveBack, LostJob, settle } from './claim.ts'
import { type Job, type JobContext, usualWaits } from './job.ts'

export interface JobInstallation extends Installation {
  log: Log
}

/** Runs one claimed job to its end, whatever that is: done, another try, dead, or lost to another process. Gives when it is tried again. */
export async function runJob(
  installation: JobInstallation,
  job: Job<never> | undefined,
  claim: Claim,
  signal: AbortSignal,
): Promise<Date | undefined> {
  const { database, clock, log } = installation
  try {
    if (!job) throw new Error(`This version knows no job "${claim.name}".`)
    const limited = AbortSignal.any([signal, AbortSignal.timeout(job.timeout)])
    const { context, finished } = jobContext(installation, claim, limited)
    await Promise.race([job.run(context, claim.payload as never), aborted(limited)])
    if (!finished()) await settle(database.shared, claim)
    return undefined
  } catch (error) {
    if (error instanceof LostJob) {
      log.warn({ job: claim.id, name: claim.name }, 'the job was lost to another process')
      return undefined
    }
    // A job of a newer version waits until this process gives way to one that knows it.
    const wait = (job?.waits ?? usualWaits)[claim.attempts - 1]
    const retryAt = wait === undefined ? undefined : new Date(clock.now().getTime() + wait)
    log.warn({ job: claim.id, name: claim.name, attempt: claim.attempts, dead: !retryAt, err: error }, 'a job failed')
    await giveBack(database.shared, claim, String((error as Error)?.message ?? error), retryAt).catch((lost) =>
      // Its lease ends with this process, and another one takes it over.
      log.error({ job: claim.id, err: lost }, 'giving a job back failed'),
    )
    return retryAt
  }
}

function jobContext(installation: JobInstallation, claim: Claim, signal: AbortSignal) {
  let finished = false
  const { database, clock, log } = installation
  const now = clock.now()
  const step: JobContext['as'] = (accountId, work) => change(installation, systemActor(accountId, now), work)
  const context: JobContext = {
    id: claim.id,
    now,
    attempt: claim.attempts,
    signal,
    shared: database.shared,
    log,
    as: step,
    async finish(accountId, work) {
      const result = await step(accountId, async (inside) => {
        // First, so that a process that lost the job waits for nothing and changes nothing.
        await settle(inside.db, claim)
        return work(inside)
      })
      finished = true
      return result
    },
  }
  return { context, finished: () => finished }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const give = () =>
      reject(new Error(signal.reason instanceof Error ? signal.reason.message : 'The job was stopped.'))
    if (signal.aborted) give()
    else signal.addEventListener('abort', give, { once: true })
  })
}
