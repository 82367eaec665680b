import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restoreMarks } from '#areas/sending/sender.ts'
import { migrationFolders } from '#main/project.ts'
import { freshDatabase } from '../../../../tests/support/database/database.ts'
import { isCluster } from '../../../../tests/support/database/nodes.ts'
import { ownerQuery } from '../owner.ts'
import type { MigrationFolders } from '../schema/migration-files.ts'
import type { Progress } from './content.ts'
import * as fixture from './transfer.fixture.ts'
import { backup, move, restore } from './transfer.ts'

const now = new Date('2026-11-15T12:00:00Z')
const version = '1.2.3'
let server: fixture.OwnedDatabase
let source: fixture.OwnedDatabase
let folder: string
let migrations: MigrationFolders
const made: fixture.OwnedDatabase[] = []

beforeAll(async () => {
  server = await freshDatabase()
  folder = await mkdtemp(join(tmpdir(), 'chorus-transfer-'))
  migrations = await fixture.migrationsAnd(migrationFolders, '9998-hard.sql', fixture.hardTables)
  source = await emptyDatabase()
  await fixture.migrated(source, migrations)
  await fixture.fillHardTables(source.url)
})

afterAll(async () => {
  for (const database of [...made, server]) await database.drop()
  await rm(folder, { recursive: true })
  await fixture.removeAdded(migrations)
})

async function emptyDatabase() {
  const database = await fixture.plainOwnersDatabase(server.url)
  made.push(database)
  return database
}

const backupOf = async (url: string, name: string, progress?: (progress: Progress) => void) => {
  const file = join(folder, name)
  return { file, summary: await backup({ url, file, now, version, ...(progress && { progress }) }) }
}

const isOld = `select alive = 'epoch' as old from sending_state`

test('the test databases belong to a role that is not a superuser', async () => {
  expect(await ownerQuery(source.url, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([
    { rolsuper: false },
  ])
})

describe('a restored backup', () => {
  let target: fixture.OwnedDatabase
  const seen: Progress[] = []

  beforeAll(async () => {
    const { file } = await backupOf(source.url, 'whole.gz', (progress) => seen.push(progress))
    target = await emptyDatabase()
    await restore({
      url: target.url,
      file,
      migrationFolders: migrations,
      marks: restoreMarks,
      progress: (progress) => seen.push(progress),
    })
  })

  test('has every row unchanged', async () => {
    const rows = await fixture.allRows(source.url)
    expect(await fixture.allRows(target.url)).toEqual(rows)
    expect(rows.users).toHaveLength(12)
    expect(rows['odd "name']).toHaveLength(13)
  })

  test('is marked as restored', async () => {
    const query = 'select extract(epoch from alive)::int as alive from sending_state'
    expect(await ownerQuery(target.url, query)).toEqual([{ alive: 0 }])
  })

  test('contains no coordination data', async () => {
    expect(await ownerQuery(target.url, 'select * from job_workers')).toEqual([])
  })

  test('has the same row-level security and constraints', async () => {
    const rules = await fixture.rules(source.url)
    expect(await fixture.rules(target.url)).toEqual(rules)
    expect(rules).toContainEqual(expect.objectContaining({ name: 'users', secured: true, forced: true }))
  })

  test('continues sequences where the source stopped', async () => {
    const insert = `insert into "odd ""name" (account_id) values ('b') returning id`
    expect(await ownerQuery(target.url, insert)).toEqual(await ownerQuery(source.url, insert))
    await ownerQuery(source.url, `delete from "odd ""name" where "select" is null and account_id = 'b'`)
  })

  test('reports progress up to the last row', () => {
    for (const step of ['back up', 'check', 'load']) {
      const reports = seen.filter((progress) => progress.step === step)
      const last = reports.at(-1)!
      expect(new Set(reports.map(({ table }) => table)).size).toBe(last.tables)
      expect(last.tableIndex).toBe(last.tables)
      expect(last.rows).toBe(last.totalRowsEstimate)
      expect(last.bytes).toBeGreaterThan(1000)
    }
  })
})

test('a backup is one private file that describes its content', async () => {
  const { file, summary } = await backupOf(source.url, 'private.gz')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(summary).toMatchObject({ version, date: now.toISOString(), tables: { accounts: 2, users: 12, parts: 20 } })
})

test('a move copies every row and does not mark the target as restored', async () => {
  await ownerQuery(source.url, `insert into sending_state (alive, hold_before) values (now(), 'epoch')`)
  // Not distributed: on a cluster, tables with circular references can't be.
  const target = isCluster ? await emptyDatabase() : await freshDatabase()
  if (!isCluster) made.push(target)
  const summary = await move({ from: source.url, to: target.url, migrationFolders: migrations, now, version })
  expect(await fixture.allRows(target.url)).toEqual(await fixture.allRows(source.url))
  expect(await fixture.rules(target.url)).toEqual(await fixture.rules(source.url))
  expect(summary.tables).toMatchObject({ accounts: 2, users: 12 })
  expect(await ownerQuery(target.url, isOld)).toEqual([{ old: false }])
})

test('a backup of a running installation is marked as restored as well', async () => {
  const working = await freshDatabase()
  made.push(working)
  await ownerQuery(working.url, `insert into sending_state (alive, hold_before) values (now(), 'epoch')`)
  expect(await ownerQuery(working.url, isOld)).toEqual([{ old: false }])
  const { file } = await backupOf(working.url, 'working.gz')
  // A database that has tables but no accounts is accepted.
  await restore({ url: server.url, file, migrationFolders, marks: restoreMarks })
  expect(await ownerQuery(server.url, isOld)).toEqual([{ old: true }])
})
