import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '#kernel/database/database.ts'
import type { Heartbeat } from '#kernel/database/heartbeat.ts'
import { takeLease } from '#kernel/jobs/lease.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../../../tests/support/service.ts'
import { claimProfiles } from './lanes.ts'

let service: TestService
let database: Database
let lease: Heartbeat
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  database = openDatabase({ url: service.databaseUrl, connections: 2 })
  lease = await takeLease(database.shared, service.databaseUrl, '0jwlanes')
})
afterAll(async () => {
  await lease.end()
  await database.close()
  await service.stop()
})

const now = new Date('2027-01-01T00:00:00Z')
const add = (account: string, count: number, due: string) =>
  ownerQuery(
    service.databaseUrl,
    `insert into profile_lanes (credential, account, network, due)
     select $1 || '-' || n, $1, 'Twitter', $2::timestamptz from generate_series(1, ${count}) n`,
    [account, due],
  )

test('5,000 profiles of one account that are due stand before none of another account’s', async () => {
  await ownerQuery(service.databaseUrl, 'delete from profile_lanes')
  await add(demoAccount, 5_000, '2026-12-30')
  await add(otherAccount, 2, '2026-12-31')
  const order = { worker: '0jwlanes', now, share: 3 }
  const claim = async (count: number, served: [string, number][]) =>
    (await claimProfiles(database.shared, { ...order, count, served: new Map(served) })).map(({ account }) => account)
  expect((await claim(4, [])).sort()).toEqual([demoAccount, demoAccount, otherAccount, otherAccount])
  expect(await claim(4, [[demoAccount, 2]]), 'no more than its share').toEqual([demoAccount])
  await add('001later0000001', 1, '2026-12-31')
  expect(await claim(1, [[demoAccount, 1]]), 'who has fewest comes first').toEqual(['001later0000001'])
})
