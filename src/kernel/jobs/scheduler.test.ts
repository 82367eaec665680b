import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { elsewhere } from '../../../tests/support/files.ts'
import {
  demoAccount,
  nowhere,
  otherAccount,
  startTestService,
  type TestService,
  testKeys,
} from '../../../tests/support/service.ts'
import { systemClock } from '../clock.ts'
import { batchLimitsFor } from '../database/across-accounts.ts'
import type { Database } from '../database/database.ts'
import { type Listener, openListener } from '../database/listener.ts'
import { openLog } from '../log.ts'
import { readKeyring } from '../secrets/keyring.ts'
import { job, queues } from './job.ts'
import { registerWorker } from './lease.ts'
import { enqueue } from './queue.ts'
import { startWorker } from './worker.ts'

let service: TestService
let database: Database
let listener: Listener
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  database = openPatientDatabase({ url: service.databaseUrl, connections: 8 })
  listener = await openListener(service.databaseUrl)
})
afterAll(async () => {
  await listener.close()
  await database.close()
  await service.stop()
})

const log = openLog('silent')
const patient = { timeout: 30_000, interval: 20 }

interface How {
  /** Accounts per statement; always one on a cluster. */
  accountsPerStatement: number
  trackedAccounts?: number
  scanInterval: number
}

/** Runs queued jobs; `run` receives the owner and completes the job. */
async function work(
  run: (owner: string, name: string) => Promise<void>,
  { accountsPerStatement, trackedAccounts, scanInterval }: How,
) {
  const registration = await registerWorker(database.shared, service.databaseUrl, systemClock, log)
  const jobs = [
    job<{ owner: string; name: string }>('tests.record-name', {
      queue: 'downloads',
      retryDelays: [],
      run: (_context, { owner, name }) => run(owner, name),
    }),
  ]
  const installation = { database, registration, listener, clock: systemClock, log, outbound: nowhere, ...elsewhere }
  const keyring = readKeyring(testKeys)
  const defaults = await batchLimitsFor(database)
  const limits = {
    ...defaults,
    accountsPerStatement: Math.min(accountsPerStatement, defaults.accountsPerStatement),
    trackedAccounts: trackedAccounts ?? defaults.trackedAccounts,
  }
  const worker = await startWorker({ ...installation, keyring, jobs, recurring: [], limits, scanInterval })
  return async () => {
    await worker.stop()
    await registration.end()
    await ownerQuery(service.databaseUrl, 'delete from jobs')
  }
}

const add = (owner: string, name: string) =>
  database.transaction(owner, (db) =>
    enqueue(
      { db, now: new Date(), accountId: owner },
      { name: 'tests.record-name', queue: 'downloads' },
      { owner, name },
    ),
  )

/** Due before any job added later. */
const addBacklog = (owner: string, count: number) =>
  ownerQuery(
    service.databaseUrl,
    `insert into jobs (id, queue, name, account, payload, created, due)
     select '0jb' || $1 || n, 'downloads', 'tests.record-name', $1, jsonb_build_object('owner', $1::text, 'name', 'backlog'), now(), now() - interval '1 hour'
     from generate_series(1, ${count}) n`,
    [owner],
  )

/** As on a single server, and as on a cluster, where each account is queried by its own statement. */
describe.each([{ accountsPerStatement: 64 }, { accountsPerStatement: 1 }])(
  '$accountsPerStatement accounts per statement',
  ({ accountsPerStatement }) => {
    const how = { accountsPerStatement, scanInterval: 1_000 }

    test('a job of another account runs next although one account has 2,000 waiting', async () => {
      await addBacklog(demoAccount, 2_000)
      const done: string[] = []
      const end = await work(async (owner) => {
        done.push(owner)
      }, how)
      await expect.poll(() => done.length, patient).toBeGreaterThan(20)
      await add(otherAccount, 'one')
      const before = done.length
      await expect.poll(() => done.includes(otherAccount), patient).toBe(true)
      // Running jobs and jobs of concurrent claims, but never the backlog.
      expect(done.indexOf(otherAccount) - before).toBeLessThan(100)
      await end()
    })

    test('hanging jobs of one account take no more than its share of the slots', async () => {
      const { slots, maxPerAccount } = queues.downloads
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const begun: string[] = []
      const end = await work(async (owner, name) => {
        begun.push(owner)
        if (name === 'backlog') await released
      }, how)
      await addBacklog(demoAccount, slots * 2)
      await expect.poll(() => begun.length, patient).toBe(maxPerAccount)
      for (let count = 0; count < 50; count++) await add(otherAccount, `quick ${count}`)
      await expect.poll(() => begun.filter((owner) => owner === otherAccount).length, patient).toBe(50)
      expect(begun.filter((owner) => owner === demoAccount)).toHaveLength(maxPerAccount)
      release()
      await end()
    })

    test('with all slots in use, waiting accounts take turns regardless of which has been due longest', async () => {
      const owners = Array.from({ length: 6 }, (_, index) => `001fair0000000${index}`)
      const running: { owner: string; release(): void }[] = []
      let begun = 0
      // All jobs are waiting before the worker starts.
      for (const owner of owners) await addBacklog(owner, 20)
      const end = await work((owner) => {
        begun++
        return new Promise<void>((release) => running.push({ owner, release }))
      }, how)
      const { slots } = queues.downloads
      await expect.poll(() => begun, patient).toBe(slots)
      for (let count = 0; count < owners.length * 2; count++) {
        running.shift()?.release()
        await expect.poll(() => begun, patient).toBe(slots + count + 1)
        const shares = owners.map((owner) => running.filter((one) => one.owner === owner).length)
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
      }
      const stop = setInterval(() => running.shift()?.release(), 5)
      await ownerQuery(service.databaseUrl, `delete from jobs where state = 'waiting'`)
      await end()
      clearInterval(stop)
    })
  },
)

/** A job without a notification. */
const addWithoutNotification = (owner: string, due: Date) =>
  ownerQuery(
    service.databaseUrl,
    `insert into jobs (id, queue, name, account, payload, created, due)
     values ('0jb' || $1::text, 'downloads', 'tests.record-name', $1, jsonb_build_object('owner', $1::text, 'name', 'unannounced'), now(), $2)`,
    [owner, due],
  )

test('work without a notification is found by the next scan', async () => {
  const done: string[] = []
  const end = await work(async (owner) => void done.push(owner), { accountsPerStatement: 64, scanInterval: 200 })
  await add(demoAccount, 'announced')
  await expect.poll(() => done, patient).toEqual([demoAccount])
  await addWithoutNotification(otherAccount, new Date())
  await expect.poll(() => done, patient).toEqual([demoAccount, otherAccount])
  await end()
})

test('future work without a notification is claimed when it is due, not at the next scan', async () => {
  const due = Date.now() + 1_500
  await addWithoutNotification(demoAccount, new Date(due))
  const done: number[] = []
  // The only scan in this test.
  const end = await work(async () => void done.push(Date.now()), { accountsPerStatement: 64, scanInterval: 600_000 })
  await expect.poll(() => done.length, patient).toBe(1)
  expect(done[0]).toBeGreaterThanOrEqual(due)
  await end()
})

test('more due accounts than fit in memory are all served in rotation', async () => {
  const owners = Array.from({ length: 7 }, (_, index) => `001many0000000${index}`)
  // The accounts with the longest backlogs have also waited longest.
  for (const [index, owner] of owners.entries()) await addBacklog(owner, index < 5 ? 60 : 1)
  await ownerQuery(service.databaseUrl, `update jobs set due = now() where account = any ($1)`, [owners.slice(5)])
  const done: string[] = []
  const end = await work(async (owner) => void done.push(owner), {
    accountsPerStatement: 2,
    trackedAccounts: 2,
    scanInterval: 1_000,
  })
  await expect.poll(() => done.length, patient).toBe(5 * 60 + 2)
  const firsts = owners.map((owner) => done.indexOf(owner))
  expect(Math.max(...firsts)).toBeLessThan(150)
  await end()
})

test('work that was locked during the claim is claimed soon after, without another scan', async () => {
  const holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  await addWithoutNotification(demoAccount, new Date(Date.now() - 1_000))
  await holder.query('begin')
  await holder.query('select from jobs where account = $1 for update', [demoAccount])
  const done: string[] = []
  const end = await work(async (owner) => void done.push(owner), { accountsPerStatement: 64, scanInterval: 600_000 })
  await add(otherAccount, 'beside')
  await expect.poll(() => done, patient).toEqual([otherAccount])
  await holder.query('commit')
  await holder.end()
  await expect.poll(() => done, patient).toEqual([otherAccount, demoAccount])
  await end()
})
