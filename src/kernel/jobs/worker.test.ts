import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bundled } from '../../../tests/support/bundle.ts'
import { demoDatabase } from '../../../tests/support/database/database.ts'
import { elsewhere } from '../../../tests/support/files.ts'
import { demoAccount, nowhere, quick, testKeys } from '../../../tests/support/service.ts'
import { systemClock } from '../clock.ts'
import { defaultBatchLimits } from '../database/across-accounts.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { type Listener, openListener } from '../database/listener.ts'
import { openLog } from '../log.ts'
import { readKeyring } from '../secrets/keyring.ts'
import { type Job, job } from './job.ts'
import { account, effect, effects, rowsOf } from './jobs.fixture.ts'
import { acquireLease, registerWorker } from './lease.ts'
import { claimJobs, completeJob, enqueue, LostJob, type RecurringJob, releaseAbandonedJobs } from './queue.ts'
import { type JobWorker, startWorker } from './worker.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const start = Date.parse('2026-05-01T12:00:00Z')
let time = start
const clock = { now: () => new Date(time) }
let demo: Awaited<ReturnType<typeof demoDatabase>>
/** One connection for repeated queries. */
let owner: pg.Client
let database: Database
let listener: Listener
let workers: JobWorker[]
beforeAll(async () => {
  demo = await demoDatabase(systemClock)
  owner = new pg.Client({ connectionString: demo.url })
  await owner.connect()
  database = openDatabase({ url: demo.url, connections: 8, patience: quick.connection })
  listener = await openListener(demo.url)
})
beforeEach(() => {
  time = start
  workers = []
})
afterEach(async () => {
  for (const worker of workers) await worker.stop()
  await owner.query(`delete from jobs; delete from job_workers; delete from job_schedule;
    delete from teams where name like 'effect %'`)
})
afterAll(async () => {
  await listener.close()
  await database.close()
  await owner.end()
  await demo.drop()
})

async function work(jobs: readonly Job<never>[], recurring: readonly RecurringJob[] = [], aliases = {}) {
  const registration = await registerWorker(database.shared, demo.url, clock, openLog('silent'))
  const worker = await startWorker({
    database,
    registration,
    listener,
    clock,
    keyring: readKeyring(testKeys),
    outbound: nowhere,
    ...elsewhere,
    log: openLog('silent'),
    jobs,
    recurring,
    aliases,
    scanInterval: quick.jobs,
  })
  workers.push({ stop: () => worker.stop().then(registration.end) })
  return worker
}
const waiting = () =>
  rowsOf<{ state: string; attempts: number; last_error: string | null }>(
    owner,
    'select state, attempts, last_error from jobs order by id',
  )
const add = (name: string, options = {}) =>
  database.transaction(account, (db) => enqueue({ db, now: clock.now() }, effect, { name }, options))
const claimOne = async (worker: string) => {
  const order = { queue: 'housekeeping', worker, now: clock.now(), count: 1, maxPerAccount: 1 }
  return (await claimJobs(database.shared, { ...order, accounts: [{ account: '', running: 0 }] })).claims
}
const until = (done: () => Promise<unknown>) => expect.poll(done)
/** Long enough for workers to poll several times. */
const severalPolls = () => sleep(5 * quick.jobs)

describe('a job', () => {
  test('runs if and only if the transaction that enqueues it commits', async () => {
    await work([effect])
    await database
      .transaction(demoAccount, async (db) => {
        await enqueue({ db, now: clock.now() }, effect, { name: 'undone' })
        throw new Error('no')
      })
      .catch(() => {})
    await add('done')
    await until(() => effects(owner)).toEqual(['effect done'])
    expect(await waiting()).toEqual([])
  })

  test('is retried after its delays, and is dead with the error after the last attempt', async () => {
    let tries = 0
    const failing = job<{ name: string }>('tests.write-effect', {
      queue: 'housekeeping',
      retryDelays: [1000, 60_000],
      run: async () => {
        throw new Error(`try ${++tries}`)
      },
    })
    await work([failing])
    await add('never')
    await until(async () => (await waiting())[0]).toMatchObject({ state: 'waiting', attempts: 1, last_error: 'try 1' })
    time += 1000
    await until(async () => (await waiting())[0]).toMatchObject({ attempts: 2 })
    time += 59_999
    await severalPolls()
    expect(tries).toBe(2)
    time += 1
    await until(async () => (await waiting())[0]).toEqual({ state: 'dead', attempts: 3, last_error: 'try 3' })
  })

  test('enqueued by an older process under its former name runs', async () => {
    await work([effect], [], { 'write-effect': 'tests.write-effect' })
    await database.transaction(account, (db) =>
      enqueue({ db, now: clock.now() }, { ...effect, name: 'write-effect' as never }, { name: 'from before' }),
    )
    await until(() => effects(owner)).toEqual(['effect from before'])
    expect(await waiting()).toEqual([])
  })

  test('leaves nothing in memory when it is done', async () => {
    const signals: WeakRef<AbortSignal>[] = []
    const remembering = job('tests.remember-signal', {
      queue: 'housekeeping',
      async run({ signal }) {
        signals.push(new WeakRef(signal))
      },
    })
    await work([remembering])
    const runs = 20
    await database.transaction(account, async (db) => {
      for (let run = 0; run < runs; run++) await enqueue({ db, now: clock.now() }, remembering, {})
    })
    await until(waiting).toEqual([])
    expect(signals).toHaveLength(runs)
    await until(async () => {
      collect()
      return signals.filter((signal) => signal.deref()).length
    }).toBe(0)
  })

  test('unknown to this version is left for a process that knows it', async () => {
    const older = await work([])
    await add('of a newer version')
    await until(async () => (await waiting())[0]).toMatchObject({
      state: 'waiting',
      attempts: 1,
      last_error: 'This version knows no job "tests.write-effect".',
    })
    await older.stop()
    time += 5000
    await work([effect])
    await until(() => effects(owner)).toEqual(['effect of a newer version'])
  })

  test('waits until it is due, and is replaced by a newer one with the same key', async () => {
    await work([effect])
    await add('old', { due: new Date(time + 5000), key: 'one' })
    await add('new', { due: new Date(time + 9000), key: 'one' })
    time += 5000
    await severalPolls()
    expect(await effects(owner)).toEqual([])
    time += 4000
    await until(() => effects(owner)).toEqual(['effect new'])
  })

  test('with a lower priority number runs first', async () => {
    for (const [name, priority] of [
      ['later', 5],
      ['first', -1],
      ['middle', 0],
    ] as const)
      await add(name, { priority })
    const order: unknown[] = []
    await acquireLease(database.shared, demo.url, '0jwtest').then(async (lease) => {
      for (let claim = 0; claim < 3; claim++) {
        for (const { payload } of await claimOne('0jwtest')) order.push((payload as { name: string }).name)
      }
      await lease.end()
    })
    expect(order).toEqual(['first', 'middle', 'later'])
  })

  test('taken over by another process cannot be completed by the first one, whose changes are rolled back', async () => {
    await add('fenced')
    const lease = await acquireLease(database.shared, demo.url, '0jwfirst')
    const [stale] = await claimOne('0jwfirst')
    await lease.end()
    await owner.query(`update job_workers set lease_until = now() - interval '1 second'`)
    expect(await releaseAbandonedJobs(database.shared, clock.now(), defaultBatchLimits)).toBe(1)
    const late = database.transaction(account, async (db) => {
      await db
        .insertInto('teams')
        .values({
          accountId: account,
          id: '025stale0000000',
          created: clock.now(),
          modified: clock.now(),
          name: 'effect stale',
        })
        .execute()
      await completeJob(db, stale as never)
    })
    await expect(late).rejects.toThrow(LostJob)
    await work([effect])
    await until(() => effects(owner)).toEqual(['effect fenced'])
  })

  test('enqueued again while running is released beside the newer one with its key, and all of them run', async () => {
    const lease = await acquireLease(database.shared, demo.url, '0jwtwins')
    for (const name of ['first', 'second', 'third']) {
      await add(name, { key: 'same' })
      if (name !== 'third') expect(await claimOne('0jwtwins')).toHaveLength(1)
    }
    await lease.end()
    await owner.query(`update job_workers set lease_until = now() - interval '1 second'`)
    expect(await releaseAbandonedJobs(database.shared, clock.now(), defaultBatchLimits)).toBe(2)
    await work([effect])
    await until(async () => (await effects(owner)).toSorted()).toEqual([
      'effect first',
      'effect second',
      'effect third',
    ])
  })

  test('that fails after being enqueued again is still retried', async () => {
    let tries = 0
    const failing = job<{ name: string }>('tests.write-effect', {
      queue: 'housekeeping',
      retryDelays: [1000],
      async run() {
        tries += 1
        if (tries === 1) await add('again', { key: 'same', due: new Date(time + 3_600_000) })
        if (tries === 1) throw new Error('the first try')
      },
    })
    await work([failing])
    await add('once', { key: 'same' })
    await until(async () => tries).toBe(1)
    await until(async () => (await waiting()).map(({ state }) => state)).toEqual(['waiting', 'waiting'])
    time += 1000
    await until(async () => tries).toBe(2)
  })

  test('is not claimed by a worker whose lease has expired', async () => {
    await add('orphan')
    expect(await claimOne('0jwnobody')).toEqual([])
  })
})

test('two workers run 60 jobs exactly once', async () => {
  await Promise.all([work([effect]), work([effect])])
  await Promise.all(Array.from({ length: 60 }, (_, number) => add(String(number).padStart(3, '0'))))
  await until(async () => (await waiting()).length).toBe(0)
  const done = await effects(owner)
  expect(done.length).toBe(60)
  expect(new Set(done).size).toBe(60)
})

test('a lease is renewed while the event loop is busy', async () => {
  const lease = await acquireLease(database.shared, demo.url, '0jwbusy')
  const end = async () => {
    const text = `select lease_until as end from job_workers where id = '0jwbusy'`
    return (await rowsOf<{ end: Date }>(owner, text))[0]?.end.getTime() ?? 0
  }
  const taken = await end()
  await until(end).toBeGreaterThan(taken)
  const before = await end()
  // Blocks the event loop.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000)
  expect(await end()).toBeGreaterThan(before)
  await lease.end()
})

test('the jobs of a killed process are taken over when its lease expires', async () => {
  await add('orphaned')
  const script = await bundled('src/kernel/jobs/hanging-worker.fixture.ts')
  const child = spawn(process.execPath, [script.path, demo.url], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  expect(await waiting()).toMatchObject([{ state: 'running' }])
  await work([effect])
  child.kill('SIGKILL')
  await until(() => effects(owner)).toEqual(['effect orphaned'])
  await script.remove()
})

test('a recurring job runs once per period, however many workers there are', async () => {
  let runs = 0
  const hourly = job<Record<string, never>>('tests.count-hours', {
    queue: 'housekeeping',
    run: async () => {
      runs++
    },
  })
  const recurring = [{ job: hourly, every: 3_600_000 }]
  await Promise.all([work([hourly], recurring), work([hourly], recurring)])
  for (let hour = 1; hour <= 2; hour++) {
    await until(async () => runs).toBe(hour)
    await severalPolls()
    expect(runs).toBe(hour)
    time += 3_600_000
  }
})

test('setting the clock forward by a day and back delays no job, no recurring job and no lease', async () => {
  const day = 86_400_000
  let runs = 0
  const hourly = job<Record<string, never>>('tests.count-hours-by-clock', {
    queue: 'housekeeping',
    run: async () => {
      runs++
    },
  })
  let tries = 0
  const stubborn = job<Record<string, never>>('tests.try-twice', {
    queue: 'housekeeping',
    retryDelays: [1000, 1000, 1000],
    run: async () => {
      if (++tries < 2) throw new Error('not yet')
    },
  })
  const jobs = [hourly, stubborn, effect]
  const recurring = [{ job: hourly, every: 3_600_000 }]
  time += day
  const first = await work(jobs, recurring)
  await until(async () => runs).toBe(1)
  await enqueue({ db: database.shared, now: new Date(time) }, stubborn, {})
  await until(async () => tries).toBe(1)
  await first.stop()
  await enqueue({ db: database.shared, now: new Date(time) }, effect, { name: 'from tomorrow' })
  await owner.query(`insert into job_workers (id, lease_until) values ('0jwtomorrow', now() + interval '1 day')`)
  await enqueue({ db: database.shared, now: new Date(time) }, effect, { name: 'held from tomorrow' })
  await owner.query(
    `update jobs set state = 'running', worker = '0jwtomorrow' where payload ->> 'name' = 'held from tomorrow'`,
  )
  time -= day
  await work(jobs, recurring)
  await until(() => effects(owner)).toEqual(
    expect.arrayContaining(['effect from tomorrow', 'effect held from tomorrow']),
  )
  await until(async () => runs).toBe(2)
  time += 2_000
  await until(async () => tries).toBe(2)
})
