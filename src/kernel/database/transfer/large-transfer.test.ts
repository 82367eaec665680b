import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrationFolders as projectMigrations } from '#main/project.ts'
import { freshDatabase } from '../../../../tests/support/database/database.ts'
import { ownerQuery } from '../owner.ts'
import { migrate } from '../schema/migrate.ts'
import type { MigrationFolders } from '../schema/migration-files.ts'
import type { Summary } from './content.ts'
import { migrationsAnd, removeAdded } from './transfer.fixture.ts'
import { backup, move, restore } from './transfer.ts'

const now = new Date('2026-11-15T12:00:00Z')
const version = '1.2.3'
const megabyte = 1024 * 1024
/** Megabytes of memory; less than the size of the transfer, and some thirty are used in any case. */
const allowed = 60
const rowCount = 7_000
const made: { url: string; drop(): Promise<void> }[] = []
let folder: string
let source: string
let migrationFolders: MigrationFolders

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-large-'))
  migrationFolders = await migrationsAnd(
    projectMigrations,
    '9998-bulk.sql',
    // Unlogged, because the server's write-ahead log is not part of the measurement.
    'create unlogged table bulk (id int primary key, body text); alter table bulk alter body set storage external',
  )
  source = await fresh()
  await migrate(source, migrationFolders)
  await ownerQuery(
    source,
    `insert into bulk select i, repeat(md5(i::text), 300) from generate_series(1, ${rowCount}) i`,
  )
})

afterAll(async () => {
  for (const database of made.toReversed()) await database.drop()
  await rm(folder, { recursive: true })
  await removeAdded(migrationFolders)
})

async function fresh() {
  const database = await freshDatabase()
  made.push(database)
  return database.url
}

test('a transfer larger than the memory limit runs in constant memory', async () => {
  const file = join(folder, 'large.gz')
  const [first, second] = [await fresh(), await fresh()]
  const summaries = [
    await measured('backup', () => backup({ url: source, file, now, version })),
    await measured('restore', () => restore({ url: first, file, migrationFolders, marks: [] })),
    await measured('move', () => move({ from: source, to: second, migrationFolders, now, version })),
  ]
  for (const { rows, bytes } of summaries) {
    expect(rows).toBe(rowCount)
    expect(bytes).toBeGreaterThan(allowed * megabyte)
  }
})

/** Memory of this thread only, since other test files run concurrently. Garbage that is not yet collected doesn't count. */
async function measured(name: string, work: () => Promise<Summary>): Promise<Summary> {
  const used = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return (heapUsed + arrayBuffers) / megabyte
  }
  const start = performance.now()
  collect()
  const before = used()
  let grown = 0
  const timer = setInterval(() => {
    if (used() - before >= allowed) collect()
    grown = Math.max(grown, used() - before)
  }, 10)
  const summary = await work().finally(() => clearInterval(timer))
  const took = Math.round(performance.now() - start)
  console.log(`${name}: ${summary.rows} rows, ${took} ms, ${Math.round(grown)} MB more memory`)
  expect(grown).toBeLessThan(allowed)
  return summary
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
