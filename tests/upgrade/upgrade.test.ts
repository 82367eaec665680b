import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { isMigrated, migrate } from '#kernel/database/schema/migrate.ts'
import { readMigrationFiles } from '#kernel/database/schema/migration-files.ts'
import { type OwnedDatabase, plainOwnersDatabase } from '#kernel/database/transfer/transfer.fixture.ts'
import { backup, restore } from '#kernel/database/transfer/transfer.ts'
import { migrationFolders } from '#main/project.ts'
import { schemaOf } from '../support/database/schema.ts'
import { deep } from '../support/randomness.ts'
import { fillTables } from './rows.ts'

/** The last migration of the oldest version that can be upgraded. */
const oldest = '0036-saved-views.sql'

/** Tables and columns that have another name after the upgrade. */
const renamed: { readonly [table: string]: string } = {}

/** Failed sign-ins are forgotten, because they are counted by user since then. */
const emptied = ['sign_in_tries']

const rowsOfLarge = deep(5, 100_000)
const large = [
  'clicks',
  'daily_figures',
  'deeds',
  'events',
  'feed_entries',
  'figures',
  'inbox_entries',
  'inbox_items',
  'lead_activities',
  'leads',
  'links',
  'postlogs',
  'posts',
  'quarter_figures',
  'sends',
  'webhook_deliveries',
  'webhook_log',
]
const countOf = (table: string) => (large.includes(table) ? rowsOfLarge : 5)

const made: OwnedDatabase[] = []
let fresh: string[]

async function emptyDatabase() {
  const database = await plainOwnersDatabase(inject('serverUrl'))
  made.push(database)
  return database.url
}

beforeAll(async () => {
  const url = await emptyDatabase()
  await migrate(url, migrationFolders)
  fresh = await schemaOf(url)
})
afterAll(async () => {
  for (const database of made) await database.drop()
})

const isCurrent = (url: string) =>
  isMigrated(async () => {
    const rows = await ownerQuery<{ name: string }>(url, 'select name from migrations order by name')
    return rows.map(({ name }) => name)
  }, migrationFolders)

interface Kept {
  name: string
  columns: string[]
}

/** Copies every table into another schema, which no migration touches. */
async function keepRows(url: string): Promise<Kept[]> {
  const tables = await ownerQuery<Kept>(
    url,
    `select table_name as name, array_agg(column_name::text order by ordinal_position) as columns from information_schema.columns
     where table_schema = 'public' and table_name <> 'migrations' group by 1 order by 1`,
  )
  await ownerQuery(url, 'create schema kept')
  for (const { name } of tables) await ownerQuery(url, `create table kept.${name} as select * from public.${name}`)
  return tables
}

/** The number of rows that are not in the upgraded table as they were. */
async function lostRows(url: string, { name, columns }: Kept): Promise<number> {
  const list = (names: string[]) => names.map((column) => `"${column}"`).join(', ')
  const now = columns.map((column) => renamed[`${name}.${column}`] ?? column)
  const [row] = await ownerQuery<{ lost: number }>(
    url,
    `select count(*)::int as lost from (select ${list(columns)} from kept.${name} except all select ${list(now)} from public.${renamed[name] ?? name}) gone`,
  )
  return row?.lost ?? -1
}

test('an upgrade keeps every row and ends with the schema of a new database', { timeout: 600_000 }, async () => {
  const url = await emptyDatabase()
  await migrate(url, migrationFolders, undefined, oldest)
  const counts = await fillTables(url, countOf)
  const tables = await keepRows(url)
  expect(Math.min(...counts.values())).toBeGreaterThan(0)
  expect(tables.map(({ name }) => name)).toEqual([...counts.keys()].sort())
  const begun = performance.now()
  await migrate(url, migrationFolders)
  if (rowsOfLarge > 5) console.log(`upgraded in ${Math.round(performance.now() - begun)} ms`)
  const lost: string[] = []
  for (const table of tables)
    if (!emptied.includes(table.name) && (await lostRows(url, table)) > 0) lost.push(table.name)
  expect(lost).toEqual([])
  expect(await schemaOf(url)).toEqual(fresh)
  expect(await isCurrent(url)).toBe(true)
})

test('an upgrade that was interrupted after any migration is completed', async () => {
  const { former } = await readMigrationFiles(migrationFolders)
  const url = await emptyDatabase()
  for (const { name } of former.upgrades) {
    await migrate(url, migrationFolders, undefined, name)
    expect(await isCurrent(url)).toBe(false)
  }
  expect(await migrate(url, migrationFolders)).toHaveLength((await readMigrationFiles(migrationFolders)).current.length)
  expect(await schemaOf(url)).toEqual(fresh)
  expect(await isCurrent(url)).toBe(true)
  expect(await migrate(url, migrationFolders)).toEqual([])
})

test('a backup of the oldest version is restored into the current schema', async () => {
  const url = await emptyDatabase()
  await migrate(url, migrationFolders, undefined, oldest)
  await fillTables(url, () => 2)
  const folder = await mkdtemp(join(tmpdir(), 'chorus-upgrade-'))
  const file = join(folder, 'old.gz')
  await backup({ url, file, now: new Date(), version: '0.0.1' })
  const target = await emptyDatabase()
  await restore({ url: target, file, migrationFolders, marks: [] })
  await rm(folder, { recursive: true })
  expect(await ownerQuery(target, 'select count(*)::int from posts')).toEqual([{ count: 2 }])
  expect(await schemaOf(target)).toEqual(fresh)
  expect(await isCurrent(target)).toBe(true)
})

test('a database that is too old is refused with the version to upgrade through, and stays as it is', async () => {
  const url = await emptyDatabase()
  const { base } = (await readMigrationFiles(migrationFolders)).former
  await ownerQuery(
    url,
    'create table migrations (name text primary key, checksum text, applied timestamptz default now())',
  )
  for (const { name, checksum } of base.recorded.slice(0, -1))
    await ownerQuery(url, 'insert into migrations values ($1, $2)', [name, checksum])
  await expect(migrate(url, migrationFolders)).rejects.toThrow('First start commit 5d0556c')
  await expect(migrate(await emptyDatabase(), migrationFolders, undefined, '0035-console-more.sql')).rejects.toThrow(
    'ends with the migration 0035-console-more.sql',
  )
  expect(await ownerQuery(url, 'select count(*)::int from migrations')).toEqual([{ count: base.recorded.length - 1 }])
})

describe('schema.sql', () => {
  test('makes the schema of a migrated database in an empty one, which the service then accepts', async () => {
    const url = await emptyDatabase()
    await ownerQuery(url, await readFile('schema.sql', 'utf8'))
    expect(await schemaOf(url)).toEqual(fresh)
    expect(await migrate(url, migrationFolders)).toEqual([])
  })
})
