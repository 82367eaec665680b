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

test('a query that forgets its account sees that account’s rows all the same, never another’s', async () => {
  for (const table of tables) {
    for (const account of [demoAccount, otherAccount]) {
      const rows = await database.forAccount(account).selectFrom(table).selectAll().execute()
      expect(rows.length, table).toBeGreaterThan(0)
      for (const row of rows as { accountId?: string; id: string }[]) expect(row.accountId ?? row.id).toBe(account)
    }
  }
})

test('without an account nothing is seen', async () => {
  for (const table of tables) expect(await database.shared.selectFrom(table).selectAll().execute()).toEqual([])
})

test('nothing can be written into another account', async () => {
  const now = new Date(0)
  const stray = { accountId: otherAccount, id: '025stray0000000', created: now, modified: now, name: 'Stray' }
  await expect(database.forAccount(demoAccount).insertInto('teams').values(stray).execute()).rejects.toThrow(
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

test('connections that change hands between accounts keep them apart', async () => {
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

test('a transaction is all or nothing, also when an error inside was swallowed', async () => {
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

test('a handle that outlives its transaction is refused', async () => {
  let kept: Parameters<Parameters<Database['transaction']>[1]>[0] | undefined
  await database.transaction(demoAccount, async (db) => {
    kept = db
    await db.selectFrom('teams').select('id').execute()
  })
  await expect(kept?.selectFrom('teams').select('id').execute()).rejects.toThrow('after its transaction had ended')
})
