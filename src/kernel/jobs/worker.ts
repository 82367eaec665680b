import { sql } from 'kysely'
import { type Agenda, openAgenda } from '../agenda/agenda.ts'
import { type FreeWork, openLook } from '../agenda/look.ts'
import { readNotice } from '../agenda/notice.ts'
import { type Reach, usualReach } from '../agenda/reach.ts'
import { ahead, startRounds } from '../agenda/rounds.ts'
import { serveAccounts } from '../agenda/serve.ts'
import { afterSetBack } from '../clock.ts'
import type { Listener } from '../database/listener.ts'
import { usualRhythm } from '../rhythm.ts'
import { bringForward } from './bring-forward.ts'
import { type Claim, claimJobs, freeAbandoned, leave } from './claim.ts'
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
  /** Milliseconds from one look over all accounts to the next. */
  every?: number
  reach?: Reach
}

export interface JobWorker {
  /** Takes no more jobs, lets those under way finish, gives the rest back. */
  stop(): Promise<void>
}

const patience = 8000

/** Runs jobs in this process until it is stopped. Any number of processes may do so at once. */
export async function startWorker(options: WorkerOptions): Promise<JobWorker> {
  const { database, lives, listener, clock, log, every = usualRhythm.jobs, reach = usualReach } = options
  const { shared } = database
  const byName = new Map<string, Job<never>>(options.jobs.map((job) => [job.name, job]))
  const jobOf = (name: string) => byName.get(name) ?? byName.get(options.formerNames?.[name] ?? '')
  let stopping = false

  const pools = new Map(
    (Object.keys(queues) as Queue[]).map((queue) => [
      queue,
      { agenda: openAgenda(reach.accountsKnown), turns: openTurns(queues[queue]) },
    ]),
  )
  const agendaOf = (queue: string) => pools.get(queue as Queue)?.agenda

  const take = async (queue: Queue, { agenda, turns }: Pool) => {
    const life = lives.current()
    if (stopping || !life) return
    const { share } = queues[queue]
    const now = clock.now()
    await serveAccounts<Claim>({
      ...{ agenda, now, reach, share, free: turns.free, running: turns.running },
      claim: (accounts, count) => claimJobs(shared, { queue, worker: life.id, now, count, share, accounts }),
      start(claim) {
        const running = runJob(options, jobOf(claim.name), claim, life.signal).then((retryAt) => {
          if (retryAt) agenda.note(claim.account, retryAt)
        })
        turns.run(claim.account, running).finally(() => rounds.ask())
      },
    })
  }
  const failed = (error: unknown) => log.error({ err: error }, 'looking for jobs failed')
  const setRight = afterSetBack(clock, (now) => bringForward(shared, options.jobs, now, reach))
  const look = openLook(shared, waitingJobs, reach.accountsKnown)
  const round = async () => {
    try {
      await setRight()
      await freeAbandoned(shared, clock.now(), reach)
      await enqueueRecurring(database, options.recurring, clock.now())
    } catch (error) {
      log.error({ err: error }, 'keeping the queue failed')
    }
    const found = await look(new Date(clock.now().getTime() + ahead(every)))
    for (const [queue, { agenda }] of pools) agenda.noteAll(found.get(queue) ?? [])
  }
  const rounds = startRounds({
    ...{ clock, every, round, failed, agendas: [...pools.values()].map(({ agenda }) => agenda) },
    serve: async () => {
      await Promise.all(Array.from(pools, ([queue, pool]) => take(queue, pool).catch(failed)))
    },
  })
  lives.onAbsence(rounds.roundNow)
  listener.on(jobsChannel, (payload) => {
    const notice = readNotice(payload)
    const agenda = notice && agendaOf(notice.kind)
    if (!agenda) return rounds.roundNow()
    agenda.note(notice.account, notice.due)
    rounds.ask()
  })

  return {
    async stop() {
      stopping = true
      await rounds.stop()
      const underWay = [...pools.values()].flatMap(({ turns }) => turns.underWay())
      await Promise.race([Promise.all(underWay), new Promise((resolve) => setTimeout(resolve, patience))])
      const life = lives.current()
      if (life) await leave(shared, life.id, clock.now(), reach)
    },
  }
}

interface Pool {
  agenda: Agenda
  turns: Turns
}

const waitingJobs: FreeWork = (until) =>
  sql`select account, queue as kind, due from jobs where state = 'waiting' and fence >= 0 and due <= ${until}`
