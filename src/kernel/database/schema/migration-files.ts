import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** `migrations/`, then the folders of single areas. */
export type MigrationFolders = readonly string[]

export interface RecordedMigration {
  readonly name: string
  readonly checksum: string
}

export interface Migration extends RecordedMigration {
  readonly sql: string
}

export interface Migrations {
  /** The baseline, then the later ones by number. */
  readonly current: readonly [baseline: Migration, ...later: Migration[]]
  readonly former: FormerMigrations
}

/** The history that the baseline replaces. */
export interface FormerMigrations {
  /** The oldest schema that can be upgraded, and what its databases have recorded. */
  readonly base: { readonly sql: string; readonly recorded: readonly RecordedMigration[] }
  /** From there to the schema of the baseline. */
  readonly upgrades: readonly Migration[]
}

export async function readMigrationFiles(folders: MigrationFolders): Promise<Migrations> {
  const [upgrades, [baseline, ...later]] = await Promise.all([readFolder(upgradeFolder(folders)), readAll(folders)])
  const base = upgrades.shift()
  if (!baseline || !base) throw new Error(`The folder ${folders[0]} has no migrations.`)
  refuseSameNumbers([...upgrades, baseline, ...later].map(({ name }) => name))
  return {
    current: [baseline, ...later],
    former: { base: { sql: base.sql, recorded: recordedIn(base.sql) }, upgrades },
  }
}

/** The names that an up-to-date database has recorded, in order. */
export async function currentNames(folders: MigrationFolders): Promise<string[]> {
  return (await Promise.all(folders.map(namesIn))).flat().sort()
}

const upgradeFolder = ([main = '']: MigrationFolders) => join(main, 'upgrade')

async function readAll(folders: MigrationFolders): Promise<Migration[]> {
  const all = (await Promise.all(folders.map(readFolder))).flat()
  return all.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function readFolder(folder: string): Promise<Migration[]> {
  const names = await namesIn(folder)
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function namesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const odd = names.find((name) => !/^\d{4}-/.test(name))
  if (odd) throw new Error(`The migration ${join(folder, odd)} has no number. Name it NNNN-${odd}.`)
  return names
}

const numberOf = (name: string) => name.slice(0, 4)

function refuseSameNumbers(names: readonly string[]) {
  const known = new Map<string, string>()
  for (const name of names) {
    const other = known.get(numberOf(name))
    if (other) {
      const next = Math.max(...names.map((one) => Number(numberOf(one)))) + 1
      throw new Error(
        `The migrations ${other} and ${name} have the same number. Give one of them a free one, such as ${String(next).padStart(4, '0')}.`,
      )
    }
    known.set(numberOf(name), name)
  }
}

function recordedIn(base: string): RecordedMigration[] {
  return [...base.matchAll(/^-- (\d{4}-[a-z0-9-]+\.sql) ([0-9a-f]{64})$/gm)].map(([, name = '', checksum = '']) => ({
    name,
    checksum,
  }))
}
