import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { type Database, type Db, later } from './database.ts'

const account = '001later0000001'
const now = new Date('2026-05-01T12:00:00Z')
let own: Awaited<ReturnType<typeof freshDatabase>>
let database: Database
beforeAll(async () => {
  own = await freshDatabase()
  // One connection, so that a bad state it is left in affects the next test.
  database = openPatientDatabase({ url: own.url, connections: 1 })
  await database.transaction(account, (db) =>
    db.insertInto('accounts').values({ id: account, name: 'Later', created: now, modified: now }).execute(),
  )
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

const insertion = (db: Db, name: string, id = name) =>
  db.insertInto('teams').values({ accountId: account, id, created: now, modified: now, name })
const names = async (db: Db) =>
  (await db.selectFrom('teams').select('name').where('accountId', '=', account).orderBy('name').execute()).map(
    ({ name }) => name,
  )
const committedNames = () => names(database.forAccount(account))

test('a queued statement is visible to later statements and is committed', async () => {
  const seen = await database.transaction(account, async (db) => {
    await later(db, insertion(db, 'a'))
    await later(db, sql`update teams set name = 'b' where account_id = ${account} and id = 'a'`)
    const before = await names(db)
    await later(db, insertion(db, 'c'))
    return before
  })
  expect([seen, await committedNames()]).toEqual([['b'], ['b', 'c']])
})

test('a transaction that contains only queued statements is atomic', async () => {
  await database.transaction(account, (db) => later(db, insertion(db, 'd')))
  expect(await committedNames()).toEqual(['b', 'c', 'd'])
})

test('queued statements are rolled back if the work fails', async () => {
  const failing = database.transaction(account, async (db) => {
    await later(db, insertion(db, 'e'))
    throw new Error('No.')
  })
  await expect(failing).rejects.toThrow('No.')
  expect(await committedNames()).toEqual(['b', 'c', 'd'])
})

test('a failing queued statement rolls back the transaction at the next statement or the commit, with its error', async () => {
  const atTheEnd = database.transaction(account, async (db) => {
    await insertion(db, 'f').execute()
    await later(db, insertion(db, 'again', 'c'))
    await later(db, insertion(db, 'g'))
  })
  await expect(atTheEnd).rejects.toMatchObject({ code: '23505' })
  const before = database.transaction(account, async (db) => {
    await later(db, insertion(db, 'again', 'c'))
    await names(db)
  })
  await expect(before).rejects.toMatchObject({ code: '23505' })
  expect(await committedNames()).toEqual(['b', 'c', 'd'])
})

test('a statement is refused after its transaction has ended', async () => {
  const left = await database.transaction(account, async (db) => [db])
  await expect(later(left[0] as Db, insertion(left[0] as Db, 'h'))).rejects.toThrow('had ended')
  expect(await committedNames()).toEqual(['b', 'c', 'd'])
})

test('outside a transaction a statement runs immediately', async () => {
  const db = database.forAccount(account)
  await later(db, insertion(db, 'i'))
  expect(await committedNames()).toEqual(['b', 'c', 'd', 'i'])
})
