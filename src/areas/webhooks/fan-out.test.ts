import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { defaultBatchLimits } from '#kernel/database/across-accounts.ts'
import type { Database } from '#kernel/database/database.ts'
import { type Listener, openListener } from '#kernel/database/listener.ts'
import { openLog } from '#kernel/log.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../../../tests/support/service.ts'
import { startFanOut } from './fan-out.ts'

let service: TestService
let database: Database
let listener: Listener
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  database = openPatientDatabase({ url: service.databaseUrl, connections: 2 })
  listener = await openListener(service.databaseUrl)
})
afterAll(async () => {
  await listener.close()
  await database.close()
  await service.stop()
})

const query = (text: string, values: unknown[] = []) => ownerQuery(service.databaseUrl, text, values)
const ofAll = `insert into event_queue (account, id) select $1, 'evtbacklog' || n from generate_series(1, $2::int) n`

test('a backlog of events in one account does not delay another account', async () => {
  await query('delete from event_queue')
  await query(ofAll, [demoAccount, 2_000])
  await query(ofAll, [otherAccount, 1])
  const turns: string[] = []
  const forAccount: Database['forAccount'] = (account) => {
    turns.push(account)
    return database.forAccount(account)
  }
  const fanning = startFanOut({
    database: { ...database, forAccount },
    listener,
    clock: systemClock,
    log: openLog('silent'),
    limits: defaultBatchLimits,
    scanInterval: 1_000,
    onWoken: () => {},
    onAccountError: (_account, error) => {
      throw error
    },
  })
  await expect.poll(() => query('select from event_queue')).toEqual([])
  await fanning.stop()
  expect(turns.indexOf(otherAccount)).toBeLessThanOrEqual(1)
  expect(turns.filter((account) => account === demoAccount).length).toBeGreaterThanOrEqual(4)
})
