import type { Listener } from '../database/listener.ts'
import { usualRhythm } from '../rhythm.ts'
import { claimJobs, freeAbandoned, leave } from './claim.ts'
import { jobsChannel } from './enqueue.ts'
import { type Job, type Queue, queues } from './job.ts'
import { type JobSurroundings, runJob } from './run-job.ts'
import { enqueueRecurring, type Recurring } from './schedule.ts'
import type { Lives } from './worker-life.ts'

export interface WorkerOptions extends JobSurroundings {
  listener: Listener
  lives: Lives
  jobs: readonly Job<never>[]
  recurring: readonly Recurring[]
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
  const byName = new Map(options.jobs.map((job) => [job.name, job]))
  const slots = new Map<Queue, Set<Promise<void>>>((Object.keys(queues) as Queue[]).map((queue) => [queue, new Set()]))
  let stopping = false

  const take = async (queue: Queue) => {
    const running = slots.get(queue) as Set<Promise<void>>
    const free = queues[queue] - running.size
    const life = lives.current()
    if (stopping || !life || free <= 0) return
    const claims = await claimJobs(database.shared, queue, life.id, clock.now(), free)
    for (const claim of claims) {
      const done = runJob(options, byName.get(claim.name), claim, life.signal).finally(() => {
        running.delete(done)
        look(queue)
      })
      running.add(done)
    }
  }
  const looking = new Map<Queue, Promise<void>>()
  const look = (queue: Queue) => {
    const before = looking.get(queue) ?? Promise.resolve()
    const next = before.then(() => take(queue)).catch((error) => log.error({ err: error }, 'looking for jobs failed'))
    looking.set(queue, next)
  }
  const lookEverywhere = () => {
    for (const queue of slots.keys()) look(queue)
  }
  const tick = async () => {
    try {
      await freeAbandoned(database.shared, clock.now())
      await enqueueRecurring(database, options.recurring, clock.now())
    } catch (error) {
      log.error({ err: error }, 'keeping the queue failed')
    }
    lookEverywhere()
  }
  listener.on(jobsChannel, lookEverywhere)
  const timer = setInterval(tick, every)
  await tick()

  return {
    async stop() {
      stopping = true
      clearInterval(timer)
      await Promise.all(looking.values())
      const underWay = [...slots.values()].flatMap((running) => [...running])
      await Promise.race([Promise.all(underWay), new Promise((resolve) => setTimeout(resolve, patience))])
      const life = lives.current()
      if (life) await leave(database.shared, life.id, clock.now())
    },
  }
}
