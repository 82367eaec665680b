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
  const claim = async (count: number, ...accounts: [account: string, running: number][]) => {
    const asked = accounts.map(([account, running]) => ({ account, running }))
    const { claims, more } = await claimProfiles(database.shared, { ...order, count, accounts: asked })
    return { taken: claims.map(({ account }) => account).sort(), more: [...more] }
  }
  expect(await claim(4, [demoAccount, 0], [otherAccount, 0])).toEqual({
    taken: [demoAccount, demoAccount, otherAccount, otherAccount],
    more: [demoAccount],
  })
  expect(await claim(4, [demoAccount, 2], [otherAccount, 2]), 'no more than its share').toEqual({
    taken: [demoAccount],
    more: [demoAccount],
  })
  await add('001later0000001', 1, '2026-12-31')
  expect(await claim(1, [demoAccount, 1], ['001later0000001', 0]), 'who has fewest comes first').toMatchObject({
    taken: ['001later0000001'],
  })
  expect(await claim(1, ['001later0000001', 0]), 'nobody has what another has taken').toEqual({ taken: [], more: [] })
})
