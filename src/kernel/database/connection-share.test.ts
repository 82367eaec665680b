import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitingForLocks } from '../../../tests/support/database/nodes.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../../../tests/support/service.ts'
import { type Database, openDatabase } from './database.ts'

let service: TestService
let database: Database
beforeAll(async () => {
  const environment = { CHORUS_DATABASE_CONNECTIONS: '4', CHORUS_ROLES: 'api' }
  service = await startTestService({ environment, patience: { patience: 2_000 } })
  database = openDatabase({ url: service.databaseUrl, connections: 4, patience: 500 })
})
afterAll(async () => {
  await database.close()
  await service.stop()
})

const patience = { timeout: 20_000 }
const lockWaiters = () => waitingForLocks(service.databaseUrl)

/** Holds a lock that the work waits for until it is released. */
async function whileLocked(account: string, work: (release: () => void) => Promise<void>) {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let locked = () => {}
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve
  })
  const own = openDatabase({ url: service.databaseUrl, connections: 1 })
  const holding = own.transaction(account, async (db) => {
    await sql`select from teams where account_id = ${account} for update`.execute(db)
    locked()
    await released
  })
  await isLocked
  try {
    await work(release)
  } finally {
    release()
    await holding
    await own.close()
  }
}

test('an account with waiting requests is limited to its share of the connections and delays no other account', async () => {
  const { Id } = (await service.admin('POST /team', { body: { name: 'Locked' } })).json.Team
  await whileLocked(demoAccount, async (release) => {
    const slow = Array.from({ length: 8 }, (_, index) =>
      service.admin(`POST /team/${Id}`, { body: { name: `Name ${index}` } }),
    )
    await expect.poll(lockWaiters, patience).toBe(2)
    for (let calls = 0; calls < 5; calls++) {
      expect((await service.otherAdmin('POST /team', { body: { name: `Other ${calls}` } })).status).toBe(200)
      expect((await service.otherAdmin('GET /team')).status).toBe(200)
    }
    expect(await lockWaiters()).toBe(2)
    // Requests without a slot are refused with a retry time.
    const refused = await Promise.race(slow)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    release()
    const ends = (await Promise.all(slow)).map(({ status }) => status)
    expect(ends.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2)
    expect(new Set(ends)).toEqual(new Set([200, 503]))
  })
  expect((await service.admin('GET /team')).status).toBe(200)
}, 60_000)

test('unauthenticated requests share one connection quota; work without an account never waits for it', async () => {
  const nap = (seconds: number) => sql`select pg_sleep(${seconds})`
  const unauthenticated = [demoAccount, otherAccount, demoAccount].map((account) =>
    nap(1.5).execute(database.forUnauthenticated(account)),
  )
  const ends = Promise.allSettled(unauthenticated)
  const known = nap(1.5).execute(database.forAccount(demoAccount))
  // All slots of accounts are taken; one connection is reserved for the service.
  expect((await sql`select 1 as one`.execute(database.shared)).rows).toEqual([{ one: 1 }])
  expect(database.connections().waiting).toBe(1)
  const outcomes = await ends
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(outcomes[2]).toMatchObject({ reason: { kind: 'unavailable', retryAfter: 5 } })
  await known
})
