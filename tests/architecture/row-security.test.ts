import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#kernel/database/database.ts'
import { openPatientDatabase } from '../support/database/patient-database.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let database: Database
beforeAll(async () => {
  service = await startTestService()
  database = openPatientDatabase({ url: service.databaseUrl, connections: 3 })
})
afterAll(async () => {
  await database.close()
  await service.stop()
})

const tables = ['accounts', 'users', 'apiKeys', 'teams', 'teamEntities'] as const

test('row-level security limits a query without an account condition to the account of the connection', async () => {
  for (const table of tables) {
    for (const account of [demoAccount, otherAccount]) {
      const rows = await database.forAccount(account).selectFrom(table).selectAll().execute()
      expect(rows.length, table).toBeGreaterThan(0)
      for (const row of rows as { accountId?: string; id: string }[]) expect(row.accountId ?? row.id).toBe(account)
    }
  }
})

test('a connection without an account reads no rows', async () => {
  for (const table of tables) expect(await database.shared.selectFrom(table).selectAll().execute()).toEqual([])
})

test('inserts and updates cannot reach rows of another account', async () => {
  const now = new Date(0)
  const foreignTeam = { accountId: otherAccount, id: '025stray0000000', created: now, modified: now, name: 'Stray' }
  await expect(database.forAccount(demoAccount).insertInto('teams').values(foreignTeam).execute()).rejects.toThrow(
    /row-level security/,
  )
  const { numUpdatedRows } = await database
    .forAccount(demoAccount)
    .updateTable('teams')
    .set({ name: 'Taken' })
    .where('accountId', '=', otherAccount)
    .executeTakeFirst()
  expect(numUpdatedRows).toBe(0n)
})

test('connections reused by different accounts return only rows of the current account', async () => {
  const counts = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const account = index % 2 ? demoAccount : otherAccount
      const run = (db: ReturnType<Database['forAccount']>) => db.selectFrom('users').select('accountId').execute()
      const rows = index % 3 ? await run(database.forAccount(account)) : await database.transaction(account, run)
      return rows.length > 0 && rows.every(({ accountId }) => accountId === account)
    }),
  )
  expect(counts.every(Boolean)).toBe(true)
})

test('a transaction rolls back completely even if the caller catches an error inside it', async () => {
  const team = (id: string) => ({ accountId: demoAccount, id, created: new Date(0), modified: new Date(0), name: id })
  const swallowed = database.transaction(demoAccount, async (db) => {
    await db.insertInto('teams').values(team('025first0000000')).execute()
    await db
      .insertInto('teams')
      .values(team('025first0000000'))
      .execute()
      .catch(() => {})
  })
  await expect(swallowed).rejects.toThrow('rolled back')
  const found = await database
    .forAccount(demoAccount)
    .selectFrom('teams')
    .select('id')
    .where('id', '=', '025first0000000')
    .execute()
  expect(found).toEqual([])
})

test('a handle used after its transaction has ended throws an error', async () => {
  let leaked: Parameters<Parameters<Database['transaction']>[1]>[0] | undefined
  await database.transaction(demoAccount, async (db) => {
    leaked = db
    await db.selectFrom('teams').select('id').execute()
  })
  await expect(leaked?.selectFrom('teams').select('id').execute()).rejects.toThrow('after its transaction had ended')
})
