import { expect, inject, test } from 'vitest'
import { migrationsFolder } from '#main/project.ts'
import { ownerQuery } from '../database/owner.ts'
import { migrate } from '../database/schema/migrate.ts'
import { plainOwnersDatabase } from '../database/transfer/transfer.fixture.ts'
import { account, newInstallation, user, usual } from './simulation.fixture.ts'

test('blocks and the counts of the day outlive the upgrade to rows that belong to no account', async () => {
  const database = await plainOwnersDatabase(inject('serverUrl'))
  await migrate(database.url, migrationsFolder, () => {}, '0016-clients.sql')
  const insert = `insert into call_limits (account_id, user_id, day, day_count, blocked_until, sharers) values ($1, $2, '2026-08-31', $3, $4, '{somebody}')`
  await ownerQuery(database.url, insert, [account, user, 70, '2026-08-31T12:10:00Z'])
  await ownerQuery(database.url, insert, [account, '00Aanother00000', 70, null])
  await migrate(database.url, migrationsFolder, () => {}, '0020-limits.sql')
  const installation = newInstallation(database.url, usual)
  const process = await installation.start()
  expect(await process.call(user)).toMatchObject({
    admitted: false,
    reason: 'block',
    remaining: 49_930,
    retryAfter: 600,
  })
  expect(await process.call('00Aanother00000')).toMatchObject({ admitted: true, remaining: 49_929 })
  await installation.stop()
  expect(installation.errors).toEqual([])
  await database.drop()
})
