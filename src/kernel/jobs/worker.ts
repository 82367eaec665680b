import { afterSetBack } from '../clock.ts'
import type { Listener } from '../database/listener.ts'
import { usualRhythm } from '../rhythm.ts'
import { bringForward } from './bring-forward.ts'
import { claimJobs, freeAbandoned, leave, queuesWithWork } from './claim.ts'
import { jobsChannel } from './enqueue.ts'
import { type Job, type Queue, queues } from './job.ts'
import { type JobInstallation, runJob } from './run-job.ts'
import { enqueueRecurring, type Recurring } from './schedule.ts'
import { openTurns, type Turns } from './turns.ts'
import type { Lives } from './worker-life.ts'

export interface WorkerOptions extends JobInstallation {
  listener: Listener
  lives: Lives
  jobs: readonly Job<never>[]
  recurring: readonly Recurring[]
  /** What jobs were called by versions of the program that may still be running beside this one. */
  formerNames?: { readonly [former: string]: string }
  /** Milliseconds from one look to the next. */
  every?: number
}

export interface JobWorker {
  /** Takes no more jobs, lets those under way finish, gives the rest back. */
  stop(): Promise<void>
}

const patience = 8000

/** Runs jobs in this process until it is stopped. Any number of processes may do so at once. */
export async function startWorker(options: WorkerOptions): Promise<JobWorker> {
  const { database, lives, listener, clock, log, every = usualRhythm.jobs } = options
  const byName = new Map<string, Job<never>>(options.jobs.map((job) => [job.name, job]))
  const jobOf = (name: string) => byName.get(name) ?? byName.get(options.formerNames?.[name] ?? '')
  const names = Object.keys(queues) as Queue[]
  const turns = new Map(names.map((queue) => [queue, openTurns(queues[queue])]))
  let stopping = false

  const take = async (queue: Queue) => {
    const turn = turns.get(queue) as Turns
    const count = turn.free()
    const life = lives.current()
    if (stopping || !life || count <= 0) return
    const order = { queue, worker: life.id, now: clock.now(), count, share: queues[queue].share, served: turn.served() }
    for (const claim of await claimJobs(database.shared, order)) {
      turn.run(claim.owner, runJob(options, jobOf(claim.name), claim, life.signal)).finally(() => look(queue))
    }
  }
  const looking = new Map<Queue, Promise<void>>()
  const look = (queue: Queue) => {
    const before = looking.get(queue) ?? Promise.resolve()
    const next = before.then(() => take(queue)).catch((error) => log.error({ err: error }, 'looking for jobs failed'))
    looking.set(queue, next)
  }
  const lookEverywhere = async () => {
    try {
      for (const queue of await queuesWithWork(database.shared, names, clock.now())) look(queue)
    } catch (error) {
      log.error({ err: error }, 'looking for jobs failed')
    }
  }
  const setRight = afterSetBack(clock, (now) => bringForward(database.shared, options.jobs, now))
  const tick = async () => {
    try {
      await setRight()
      await freeAbandoned(database.shared, clock.now())
      await enqueueRecurring(database, options.recurring, clock.now())
    } catch (error) {
      log.error({ err: error }, 'keeping the queue failed')
    }
    await lookEverywhere()
  }
  const isQueue = (name: string | undefined): name is Queue => names.some((queue) => queue === name)
  listener.on(jobsChannel, (queue) => (isQueue(queue) ? look(queue) : void lookEverywhere()))
  const timer = setInterval(tick, every)
  await tick()

  return {
    async stop() {
      stopping = true
      clearInterval(timer)
      await Promise.all(looking.values())
      const underWay = [...turns.values()].flatMap((turn) => turn.underWay())
      await Promise.race([Promise.all(underWay), new Promise((resolve) => setTimeout(resolve, patience))])
      const life = lives.current()
      if (life) await leave(database.shared, life.id, clock.now())
    },
  }
}
