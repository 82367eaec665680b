import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrationFolders } from '#main/project.ts'
import { freshDatabase } from '../../../../tests/support/database/database.ts'
import { ownerQuery } from '../owner.ts'
import { migrate } from '../schema/migrate.ts'
import type { MigrationFolders } from '../schema/migration-files.ts'
import * as fixture from './transfer.fixture.ts'
import { backup, move, restore } from './transfer.ts'

const now = new Date('2026-11-15T12:00:00Z')
const later = '9998-later.sql'
const made: fixture.OwnedDatabase[] = []
let folder: string
/** The migrations of the next version. */
let newer: MigrationFolders
/** Installations of this version and the next, each with its backup. */
let older: Installation
let next: Installation

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-versions-'))
  newer = await fixture.migrationsAnd(
    migrationFolders,
    later,
    `alter table accounts add mood text; update accounts set mood = 'good'`,
  )
  older = await filled('older.gz', migrationFolders)
  next = await filled('next.gz', newer)
})

afterAll(async () => {
  for (const database of made.toReversed()) await database.drop()
  await rm(folder, { recursive: true })
  await fixture.removeAdded(newer)
})

async function fresh() {
  const database = await freshDatabase()
  made.push(database)
  return database
}

interface Installation {
  url: string
  file: string
}

async function filled(name: string, migrations: MigrationFolders): Promise<Installation> {
  const { url } = await fresh()
  const file = join(folder, name)
  await migrate(url, migrations)
  await ownerQuery(url, `insert into accounts (id, created, modified, name) values ('a', now(), now(), 'A')`)
  await ownerQuery(url, `insert into installation (created, demo_api_key) values (now(), 'kept')`)
  await backup({ url, file, now, version: '9.0.0' })
  return { url, file }
}

test('an older backup is loaded under its own schema, and the later migrations change its rows', async () => {
  const target = await fresh()
  await restore({ url: target.url, file: older.file, migrationFolders: newer, marks: [] })
  expect(await ownerQuery(target.url, 'select id, mood from accounts')).toEqual([{ id: 'a', mood: 'good' }])
})

test('a newer backup is refused before the target is touched', async () => {
  const target = await fresh()
  const rows = await fixture.allRows(target.url)
  const refusal = `Chorus 9.0.0, which is newer: this version does not know the migration ${later}`
  await expect(restore({ url: target.url, file: next.file, migrationFolders, marks: [] })).rejects.toThrow(refusal)
  const moved = move({ from: next.url, to: target.url, migrationFolders, now, version: '9.0.0' })
  await expect(moved).rejects.toThrow(refusal)
  expect(await fixture.allRows(target.url)).toEqual(rows)
})

test('a target with a newer schema than the backup is refused', async () => {
  const target = await fresh()
  await migrate(target.url, newer)
  await expect(restore({ url: target.url, file: older.file, migrationFolders: newer, marks: [] })).rejects.toThrow(
    `already has the migration ${later}`,
  )
})

test('a backup whose migrations were edited since is refused', async () => {
  const edited = await fixture.migrationsAnd(migrationFolders, later, 'alter table accounts add mood text not null')
  const target = await fresh()
  await expect(restore({ url: target.url, file: next.file, migrationFolders: edited, marks: [] })).rejects.toThrow(
    `${later} differs`,
  )
  await fixture.removeAdded(edited)
})

test('the backup replaces rows that a service without accounts left in the target', async () => {
  const target = await fresh()
  await ownerQuery(target.url, `insert into installation (created, demo_api_key) values (now(), 'own')`)
  await move({ from: older.url, to: target.url, migrationFolders, now, version: '9.0.0' })
  expect(await ownerQuery(target.url, 'select demo_api_key from installation')).toEqual([{ demo_api_key: 'kept' }])
})
