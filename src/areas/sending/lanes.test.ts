import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAgenda } from '#kernel/agenda/agenda.ts'
import { type Reach, reachOf } from '#kernel/agenda/reach.ts'
import { serveAccounts } from '#kernel/agenda/serve.ts'
import type { Database } from '#kernel/database/database.ts'
import type { Heartbeat } from '#kernel/database/heartbeat.ts'
import { takeLease } from '#kernel/jobs/lease.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../../../tests/support/service.ts'
import { claimProfiles, type LaneClaim } from './lanes.ts'

let service: TestService
let database: Database
let lease: Heartbeat
let reach: Reach
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  database = openPatientDatabase({ url: service.databaseUrl, connections: 2 })
  reach = await reachOf(database)
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

/** Whose profiles are taken when so many places are free and so many of each account are served already. */
async function taken(places: number, served: { [account: string]: number }) {
  const agenda = openAgenda(10)
  for (const account of Object.keys(served)) agenda.note(account, now)
  const found: LaneClaim[] = []
  const order = { worker: '0jwlanes', now, share: 3 }
  await serveAccounts<LaneClaim>({
    ...{ agenda, now, reach, share: order.share, free: () => places },
    running: (account) => (served[account] ?? 0) + found.filter((claim) => claim.account === account).length,
    claim: (accounts, count) => claimProfiles(database.shared, { ...order, count, accounts }),
    start: (claim) => void found.push(claim),
  })
  return { accounts: found.map(({ account }) => account).sort(), left: [...agenda.due(now)] }
}

test('5,000 profiles of one account that are due stand before none of another account’s', async () => {
  await ownerQuery(service.databaseUrl, 'delete from profile_lanes')
  await add(demoAccount, 5_000, '2026-12-30')
  await add(otherAccount, 2, '2026-12-31')
  expect(await taken(4, { [demoAccount]: 0, [otherAccount]: 0 })).toEqual({
    accounts: [demoAccount, demoAccount, otherAccount, otherAccount],
    left: [demoAccount],
  })
  expect(await taken(4, { [demoAccount]: 2, [otherAccount]: 2 }), 'no more than its share').toEqual({
    accounts: [demoAccount],
    left: [demoAccount],
  })
  await add('001later0000001', 1, '2026-12-31')
  const fewest = await taken(1, { [demoAccount]: 1, '001later0000001': 0 })
  expect(fewest.accounts, 'who has fewest comes first').toEqual(['001later0000001'])
  const again = await taken(1, { '001later0000001': 0 })
  expect(again, 'nobody has what another has taken').toEqual({ accounts: [], left: [] })
})
