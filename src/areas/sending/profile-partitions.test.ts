import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BatchLimits, batchLimitsFor } from '#kernel/database/across-accounts.ts'
import type { Database } from '#kernel/database/database.ts'
import type { Heartbeat } from '#kernel/database/heartbeat.ts'
import { createDueAccounts } from '#kernel/jobs/due-accounts.ts'
import { acquireLease } from '#kernel/jobs/lease.ts'
import { claimFairly } from '#kernel/jobs/scheduler.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../../../tests/support/service.ts'
import { claimProfiles, type ProfileClaim } from './profile-partitions.ts'

let service: TestService
let database: Database
let lease: Heartbeat
let limits: BatchLimits
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  database = openPatientDatabase({ url: service.databaseUrl, connections: 2 })
  limits = await batchLimitsFor(database)
  lease = await acquireLease(database.shared, service.databaseUrl, '0jwlanes')
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
    `insert into profile_partitions (credential, account, network, due)
     select $1 || '-' || n, $1, 'Twitter', $2::timestamptz from generate_series(1, ${count}) n`,
    [account, due],
  )

/** The accounts whose profiles are claimed with this many free slots, given the number of profiles each has being served. */
async function claimed(slots: number, served: { [account: string]: number }) {
  const dueAccounts = createDueAccounts(10)
  for (const account of Object.keys(served)) dueAccounts.add(account, now)
  const found: ProfileClaim[] = []
  const options = { worker: '0jwlanes', now, maxPerAccount: 3 }
  await claimFairly<ProfileClaim>({
    accounts: dueAccounts,
    now,
    limits,
    maxPerAccount: options.maxPerAccount,
    freeSlots: () => slots,
    running: (account) => (served[account] ?? 0) + found.filter((claim) => claim.account === account).length,
    claim: (accounts, count) => claimProfiles(database.shared, { ...options, count, accounts }),
    start: (claim) => void found.push(claim),
  })
  return { accounts: found.map(({ account }) => account).sort(), left: [...dueAccounts.ready(now)] }
}

test('5,000 due profiles of one account do not delay those of another', async () => {
  await ownerQuery(service.databaseUrl, 'delete from profile_partitions')
  await add(demoAccount, 5_000, '2026-12-30')
  await add(otherAccount, 2, '2026-12-31')
  expect(await claimed(4, { [demoAccount]: 0, [otherAccount]: 0 })).toEqual({
    accounts: [demoAccount, demoAccount, otherAccount, otherAccount],
    left: [demoAccount],
  })
  expect(await claimed(4, { [demoAccount]: 2, [otherAccount]: 2 }), 'no more than its share').toEqual({
    accounts: [demoAccount],
    left: [demoAccount],
  })
  await add('001later0000001', 1, '2026-12-31')
  const fewest = await claimed(1, { [demoAccount]: 1, '001later0000001': 0 })
  expect(fewest.accounts, 'who has fewest comes first').toEqual(['001later0000001'])
  const again = await claimed(1, { '001later0000001': 0 })
  expect(again, 'claimed profiles are not claimed again').toEqual({ accounts: [], left: [] })
})
