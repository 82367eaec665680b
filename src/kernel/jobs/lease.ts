import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Db } from '../database/database.ts'
import { type Heartbeat, startHeartbeat } from '../database/heartbeat.ts'
import { kernelIds, newId } from '../ids.ts'
import type { Log } from '../log.ts'

/** How long a silent worker keeps its claims. Measured by the database clock, so hosts need not agree on the time. */
const leaseSeconds = 4
const renewInterval = 1_000
const reacquireDelay = 1_000
const livenessInterval = 500

/**
 * SQL condition on `job_workers`. A lease that ends later than any renewal can set was written while the clock ran ahead; a live worker
 * has renewed it since.
 */
export const leaseIsValid = sql`lease_until > clock_timestamp() and lease_until < clock_timestamp() + interval '1 minute'`

const renewal = `update job_workers set lease_until = clock_timestamp() + make_interval(secs => $2)
                 where id = $1 and lease_until > clock_timestamp()`

/** The id under which this process claims work. The signal aborts when the lease is lost: other workers may then hold that work. */
export interface Lease {
  readonly id: string
  readonly signal: AbortSignal
}

export interface WorkerRegistration {
  /** Undefined between the loss of a lease and the next one: nothing may be claimed then. */
  current(): Lease | undefined
  /** Calls back when the lease of any worker has expired, so that its work can be released. */
  onWorkerLost(listener: () => void): void
  /** Call once all work claimed under the lease has ended. */
  end(): Promise<void>
}

/** Registers this process as a worker and renews its lease. When the lease is lost, running work is aborted and a new one is acquired. */
export async function registerWorker(db: Db, url: string, clock: Clock, log: Log): Promise<WorkerRegistration> {
  let current: (Lease & { heartbeat: Heartbeat }) | undefined
  let ended = false

  const acquire = async () => {
    const id = newId(kernelIds.worker, clock.now())
    const heartbeat = await acquireLease(db, url, id)
    const abort = new AbortController()
    // Every running call adds a listener.
    setMaxListeners(0, abort.signal)
    current = { id, heartbeat, signal: abort.signal }
    heartbeat.lost.then(async () => {
      if (ended) return
      current = undefined
      abort.abort(new Error('Another process took the job over.'))
      log.warn({ worker: id }, 'worker lease lost')
      await heartbeat.end()
      await reacquire()
    })
  }
  const reacquire = async () => {
    while (!ended && !current) {
      await acquire().catch((error) => log.error({ err: error }, 'worker registration failed'))
      if (!current) await sleep(reacquireDelay)
    }
  }
  await acquire()
  const liveness = startLivenessCheck(db, log)

  return {
    current: () => current,
    onWorkerLost: liveness.onWorkerLost,
    async end() {
      ended = true
      liveness.stop()
      if (!current) return
      await current.heartbeat.end()
      await db.deleteFrom('jobWorkers').where('id', '=', current.id).execute()
    },
  }
}

/** Inserts a worker and keeps its lease alive from a separate thread. */
export async function acquireLease(db: Db, url: string, worker: string): Promise<Heartbeat> {
  await sql`insert into job_workers (id, lease_until)
            values (${worker}, clock_timestamp() + make_interval(secs => ${leaseSeconds}))`.execute(db)
  return startHeartbeat({ url, text: renewal, values: [worker, leaseSeconds], every: renewInterval })
}

/** Polls the small table of workers, so that expired claims are found without scanning all claimable rows. */
function startLivenessCheck(db: Db, log: Log) {
  const listeners: (() => void)[] = []
  let known: ReadonlySet<string> = new Set()
  let stopped = false

  const check = async () => {
    const { rows } = await sql<{ id: string; isAlive: boolean }>`
      select id, ${leaseIsValid} as is_alive from job_workers`.execute(db)
    const alive = new Set(rows.filter((worker) => worker.isAlive).map(({ id }) => id))
    const hasExpired = alive.size < rows.length
    const isLost = hasExpired || [...known].some((id) => !alive.has(id))
    if (hasExpired) await sql`delete from job_workers where not (${leaseIsValid})`.execute(db)
    known = alive
    if (isLost && !stopped) for (const listener of listeners) listener()
  }
  const repeat = () => {
    if (stopped) return
    check()
      .catch((error) => log.error({ err: error }, 'worker liveness check failed'))
      .finally(() => {
        if (!stopped) timer = setTimeout(repeat, livenessInterval)
      })
  }
  let timer = setTimeout(repeat, livenessInterval)
  return {
    onWorkerLost: (listener: () => void) => void listeners.push(listener),
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
