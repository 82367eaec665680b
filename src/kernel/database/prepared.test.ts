import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import type { Database } from './database.ts'
import { preparedPages } from './paginate.ts'
import { prepared } from './prepared.ts'

const account = '001prepared0001'
const now = new Date('2026-05-01T12:00:00Z')
let own: Awaited<ReturnType<typeof freshDatabase>>
let database: Database
beforeAll(async () => {
  own = await freshDatabase()
  database = openPatientDatabase({ url: own.url, connections: 2 })
  await database.transaction(account, async (db) => {
    await db.insertInto('accounts').values({ id: account, name: 'Prepared', created: now, modified: now }).execute()
    for (const name of ['a', 'b', 'c', 'd'])
      await db.insertInto('teams').values({ accountId: account, id: name, created: now, modified: now, name }).execute()
  })
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

test('a statement is built once per combination of given values and checked at its first uses', async () => {
  let built = 0
  const teams = prepared((db, { id, name }: { id: string | undefined; name: string | undefined }) => {
    built++
    return db
      .selectFrom('teams')
      .select('name')
      .where('accountId', '=', account)
      .$if(id !== undefined, (rows) => rows.where('id', '=', id as string))
      .$if(name !== undefined, (rows) => rows.where('name', '<', name as string))
      .orderBy('name')
  })
  const db = database.forAccount(account)
  const names = async (values: { id: string | undefined; name: string | undefined }) =>
    (await teams.rows(db, values)).map(({ name }) => name)
  for (let use = 0; use < 20; use++) {
    expect(await names({ id: 'b', name: undefined })).toEqual(['b'])
    expect(await names({ id: undefined, name: 'c' })).toEqual(['a', 'b'])
    expect(await names({ id: undefined, name: undefined })).toEqual(['a', 'b', 'c', 'd'])
  }
  // Once to keep it and five times to compare, for each of the three combinations.
  expect(built).toBe(18)
  expect(await teams.first(db, { id: 'none', name: undefined })).toBeUndefined()
})

test('a statement whose text depends on a value is refused', async () => {
  const db = database.forAccount(account)
  const branching = prepared((handle, { name }: { name: string }) => {
    const all = handle.selectFrom('teams').select('id').where('accountId', '=', account)
    return name ? all.where('name', '=', name) : all
  })
  expect(await branching.rows(db, { name: 'a' })).toHaveLength(1)
  await expect(branching.rows(db, { name: '' })).rejects.toThrow('depends on its values')
  const joined = prepared((_, { name }: { name: string }) => sql`select ${sql.lit(`${name}!`)}`)
  await expect(joined.rows(db, { name: 'a' })).rejects.toThrow('must not depend on the value name')
})

test('a value that is computed while the statement is built is refused', async () => {
  const db = database.forAccount(account)
  const dated = prepared((_, { id }: { id: string }) => sql`select ${id}::text as id, ${new Date()}::timestamptz as at`)
  await expect(dated.rows(db, { id: 'a' })).rejects.toThrow('depends on its values')
})

test('prepared pages follow filters, order and position', async () => {
  const db = database.forAccount(account)
  const pages = preparedPages((handle, { least }: { least: string | undefined }) =>
    handle
      .selectFrom('teams')
      .select(['id', 'name'])
      .where('accountId', '=', account)
      .$if(least !== undefined, (rows) => rows.where('name', '>=', least as string)),
  )
  const page = async (least: string | undefined, offset: number, ascending: boolean) => {
    const { items, total } = await pages(
      db,
      { least },
      { offset, limit: 2, order: { column: 'name', kind: 'text', ascending } },
    )
    return [items.map(({ name }) => name).join(''), total]
  }
  expect(await page(undefined, 0, true)).toEqual(['ab', 4])
  expect(await page(undefined, 2, true)).toEqual(['cd', 4])
  expect(await page('b', 0, false)).toEqual(['dc', 3])
  expect(await page('b', 2, false)).toEqual(['b', 3])
  expect(await page('c', 4, true)).toEqual(['', 2])
})
