import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { elsewhere } from '../../../tests/support/files.ts'
import {
  demoAccount,
  nowhere,
  quick,
  startTestService,
  type TestService,
  testKeys,
} from '../../../tests/support/service.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { type Listener, openListener } from '../database/listener.ts'
import { ownerQuery } from '../database/owner.ts'
import { openLog } from '../log.ts'
import { readKeyring } from '../secrets/keyring.ts'
import { claimJobs, freeAbandoned, LostJob, settle } from './claim.ts'
import { enqueue } from './enqueue.ts'
import { type Job, job } from './job.ts'
import { account, deed, deeds } from './jobs.fixture.ts'
import { takeLease } from './lease.ts'
import type { Recurring } from './schedule.ts'
import { type JobWorker, startWorker } from './worker.ts'
import { startLives } from './worker-life.ts'

const start = Date.parse('2026-05-01T12:00:00Z')
let time = start
const clock = { now: () => new Date(time) }
let service: TestService
let database: Database
let listener: Listener
let workers: JobWorker[]
beforeEach(async () => {
  time = start
  // A process that runs no jobs itself, for the demo account and its database.
  service = await startTestService({ clock, environment: { CHORUS_ROLES: 'api' } })
  database = openDatabase({ url: service.databaseUrl, connections: 8, patience: quick.connection })
  listener = await openListener(service.databaseUrl)
  workers = []
})
afterEach(async () => {
  for (const worker of workers) await worker.stop()
  await listener.close()
  await database.close()
  await service.stop()
})

async function work(jobs: readonly Job<never>[], recurring: readonly Recurring[] = []) {
  const lives = await startLives(database.shared, service.databaseUrl, clock, openLog('silent'))
  const worker = await startWorker({
    database,
    lives,
    listener,
    clock,
    keyring: readKeyring(testKeys),
    outbound: nowhere,
    ...elsewhere,
    log: openLog('silent'),
    jobs,
    recurring,
    every: quick.jobs,
  })
  workers.push({ stop: () => worker.stop().then(lives.end) })
  return worker
}
const waiting = () =>
  ownerQuery<{ state: string; attempts: number; last_error: string | null }>(
    service.databaseUrl,
    'select state, attempts, last_error from jobs order by id',
  )
const add = (name: string, options = {}) =>
  database.transaction(account, (db) => enqueue({ db, now: clock.now() }, deed, { name }, options))
const until = (done: () => Promise<unknown>) => expect.poll(done, { interval: 20 })
/** Long enough for workers to look again and again. */
const looks = () => sleep(5 * quick.jobs)

describe('a job', () => {
  test('is done when the transaction that wants it commits, and only then', async () => {
    await work([deed])
    await database
      .transaction(demoAccount, async (db) => {
        await enqueue({ db, now: clock.now() }, deed, { name: 'undone' })
        throw new Error('no')
      })
      .catch(() => {})
    await add('done')
    await until(() => deeds(service.databaseUrl)).toEqual(['deed done'])
    expect(await waiting()).toEqual([])
  })

  test('is tried again after its waits, and is dead with the reason after the last', async () => {
    let tries = 0
    const failing = job<{ name: string }>('deed', {
      queue: 'housekeeping',
      waits: [1000, 60_000],
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
    await looks()
    expect(tries).toBe(2)
    time += 1
    await until(async () => (await waiting())[0]).toEqual({ state: 'dead', attempts: 3, last_error: 'try 3' })
  })

  test('waits for its time, and gives way to a newer one of the same key', async () => {
    await work([deed])
    await add('old', { due: new Date(time + 5000), key: 'one' })
    await add('new', { due: new Date(time + 9000), key: 'one' })
    time += 5000
    await looks()
    expect(await deeds(service.databaseUrl)).toEqual([])
    time += 4000
    await until(() => deeds(service.databaseUrl)).toEqual(['deed new'])
  })

  test('with a smaller priority comes first', async () => {
    for (const [name, priority] of [
      ['later', 5],
      ['first', -1],
      ['middle', 0],
    ] as const)
      await add(name, { priority })
    const order: unknown[] = []
    await takeLease(database.shared, service.databaseUrl, '0jwtest').then(async (lease) => {
      for (let claim = 0; claim < 3; claim++) {
        for (const { payload } of await claimJobs(database.shared, 'housekeeping', '0jwtest', clock.now(), 1))
          order.push((payload as { name: string }).name)
      }
      await lease.end()
    })
    expect(order).toEqual(['first', 'middle', 'later'])
  })

  test('that another process took over can no longer be finished by the first, and leaves no trace of it', async () => {
    await add('fenced')
    const lease = await takeLease(database.shared, service.databaseUrl, '0jwfirst')
    const [stale] = await claimJobs(database.shared, 'housekeeping', '0jwfirst', clock.now(), 1)
    await lease.end()
    await ownerQuery(service.databaseUrl, `update job_workers set lease_until = now() - interval '1 second'`)
    expect(await freeAbandoned(database.shared, clock.now())).toBe(1)
    const late = database.transaction(account, async (db) => {
      await db
        .insertInto('teams')
        .values({
          accountId: account,
          id: '025stale0000000',
          created: clock.now(),
          modified: clock.now(),
          name: 'deed stale',
        })
        .execute()
      await settle(db, stale as never)
    })
    await expect(late).rejects.toThrow(LostJob)
    await work([deed])
    await until(() => deeds(service.databaseUrl)).toEqual(['deed fenced'])
  })

  test('of a worker whose lease is over is not claimed under its name', async () => {
    await add('orphan')
    expect(await claimJobs(database.shared, 'housekeeping', '0jwnobody', clock.now(), 1)).toEqual([])
  })
})

test('two workers share 300 jobs and do each of them once', async () => {
  await Promise.all([work([deed]), work([deed])])
  await Promise.all(Array.from({ length: 300 }, (_, number) => add(String(number).padStart(3, '0'))))
  await until(async () => (await waiting()).length).toBe(0)
  const done = await deeds(service.databaseUrl)
  expect(done.length).toBe(300)
  expect(new Set(done).size).toBe(300)
})

test('a lease is renewed while the event loop is busy', async () => {
  const lease = await takeLease(database.shared, service.databaseUrl, '0jwbusy')
  const end = async () => {
    const text = `select lease_until as end from job_workers where id = '0jwbusy'`
    return (await ownerQuery<{ end: Date }>(service.databaseUrl, text))[0]?.end.getTime() ?? 0
  }
  const taken = await end()
  await until(end).toBeGreaterThan(taken)
  const before = await end()
  const busyUntil = performance.now() + 3_000
  while (performance.now() < busyUntil);
  expect(await end()).toBeGreaterThan(before)
  await lease.end()
})

test('the jobs of a killed process are taken over when its lease is over', async () => {
  await add('orphaned')
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'src/kernel/jobs/hanging-worker.fixture.ts', service.databaseUrl],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(child.stdout, 'data')
  expect(await waiting()).toMatchObject([{ state: 'running' }])
  await work([deed])
  child.kill('SIGKILL')
  await until(() => deeds(service.databaseUrl)).toEqual(['deed orphaned'])
})

test('a recurring job runs once per period, however many workers there are', async () => {
  let runs = 0
  const hourly = job<Record<string, never>>('hourly', {
    queue: 'housekeeping',
    run: async () => {
      runs++
    },
  })
  const recurring = [{ job: hourly, every: 3_600_000 }]
  await Promise.all([work([hourly], recurring), work([hourly], recurring), work([hourly], recurring)])
  for (let hour = 1; hour <= 3; hour++) {
    await until(async () => runs).toBe(hour)
    await looks()
    expect(runs).toBe(hour)
    time += 3_600_000
  }
})
