import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '#kernel/database/database.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { fanOut } from './fan-out.ts'

let service: TestService
let database: Database
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  database = openDatabase({ url: service.databaseUrl, connections: 2 })
})
afterAll(async () => {
  await database.close()
  await service.stop()
})

const waiting = async () =>
  Object.fromEntries(
    (
      await ownerQuery<{ account: string; count: number }>(
        service.databaseUrl,
        'select account, count(*)::int as count from event_queue group by account',
      )
    ).map(({ account, count }) => [account, count]),
  )

const made = () =>
  fanOut(database, new Date(), (_account, error) => {
    throw error
  })

test('a backlog of events of one account keeps no event of another waiting', async () => {
  await ownerQuery(service.databaseUrl, 'delete from event_queue')
  const backlog = `insert into event_queue (account, id) select $1, 'evtbacklog' || n from generate_series(1, 2000) n`
  await ownerQuery(service.databaseUrl, backlog, [demoAccount])
  await ownerQuery(service.databaseUrl, `insert into event_queue (account, id) values ($1, 'evtother')`, [otherAccount])
  expect(await made()).toMatchObject({ more: true })
  expect(await waiting()).toEqual({ [demoAccount]: 1500 })
  for (let rounds = 0; (await made()).more; rounds++) expect(rounds).toBeLessThan(5)
  expect(await waiting()).toEqual({})
})
