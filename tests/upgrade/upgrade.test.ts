import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { isMigrated, migrate } from '#kernel/database/schema/migrate.ts'
import { readMigrationFiles } from '#kernel/database/schema/migration-files.ts'
import { type OwnedDatabase, plainOwnersDatabase } from '#kernel/database/transfer/transfer.fixture.ts'
import { backup, restore } from '#kernel/database/transfer/transfer.ts'
import { jobAliases } from '#main/job-aliases.ts'
import { migrationFolders } from '#main/project.ts'
import { schemaOf } from '../support/database/schema.ts'
import { deep } from '../support/randomness.ts'
import { fillTables, largeTables, oldestMigration as oldest } from './rows.ts'

/** Tables and columns that have another name after the upgrade. */
const renamed: { readonly [name: string]: string } = {
  call_limits: 'rate_limits',
  click_bundles: 'click_batches',
  daily_figures: 'daily_rollups',
  dashboard_starts: 'dashboard_setups',
  deeds: 'audit_log',
  deleted_lead_facts: 'deleted_lead_counts',
  digest_letters: 'digest_emails',
  figure_rebuilds: 'counter_rebuilds',
  figures: 'counters',
  file_holds: 'file_reservations',
  inbox_arrivals: 'inbox_activities',
  inbox_readers: 'inbox_read_cursors',
  inbox_reads: 'inbox_item_reads',
  lead_remotes: 'lead_references',
  levels: 'gauges',
  media_holds: 'media_references',
  network_holds: 'network_publishing_pauses',
  network_pauses: 'network_read_pauses',
  profile_lanes: 'profile_partitions',
  push_addresses: 'push_routes',
  quarter_figures: 'quarter_hour_rollups',
  sign_in_tries: 'sign_in_attempts',
  tagged: 'entity_tags',
  webhook_lanes: 'webhook_partitions',
  workflow_wordings: 'workflow_item_versions',
  'credentials.warned_of': 'notified_expiry',
  'sends.searches': 'confirmations',
  'sign_in_tries.tries': 'attempts',
  'stories.turns': 'phase_ends',
  'stream_feeds.last_place': 'last_position',
  'stream_feeds.looked': 'last_viewed',
  'stream_items.place': 'position',
}

/** Failed sign-ins are forgotten, because they are counted by user since then. */
const emptied = ['sign_in_tries']

const rowsOfLarge = deep(5, 100_000)
const countOf = (table: string) => (largeTables.includes(table) ? rowsOfLarge : 5)

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

test('an upgrade keeps every row, continues their numbers and ends with the schema of a new database', {
  timeout: 600_000,
}, async () => {
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
  const numbered = `select nextval(pg_get_serial_sequence('click_batches', 'number'))::int as next`
  expect(await ownerQuery(url, numbered)).toEqual([{ next: (counts.get('click_bundles') ?? 0) + 1 }])
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

test('waiting, dead and recurring jobs of former names continue under their present names', async () => {
  const former = Object.entries(jobAliases).filter(([name]) => name.includes('.') && !name.startsWith('hints.'))
  const url = await emptyDatabase()
  await migrate(url, migrationFolders, undefined, oldest)
  for (const [at, [name]] of former.entries()) {
    for (const state of ['waiting', 'dead'])
      await ownerQuery(
        url,
        `insert into jobs (id, queue, name, account, payload, state, created, due)
         values ($1, 'housekeeping', $2, '', '{}', $3, now(), now())`,
        [`${state}${at}`, name, state],
      )
    await ownerQuery(url, 'insert into job_schedule (name, next) values ($1, now())', [name])
  }
  await migrate(url, migrationFolders)
  const present = former.map(([, name]) => ({ name })).sort((one, other) => (one.name < other.name ? -1 : 1))
  const ordered = 'order by name collate "C"'
  expect(await ownerQuery(url, `select name from job_schedule ${ordered}`)).toEqual(present)
  for (const state of ['waiting', 'dead'])
    expect(await ownerQuery(url, `select name from jobs where state = $1 ${ordered}`, [state])).toEqual(present)
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
