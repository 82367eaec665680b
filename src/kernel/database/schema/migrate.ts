import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import pg from 'pg'
import { distributeMore } from '../cluster/distribute.ts'
import { prepareRole, secureTables } from './row-security.ts'

/** Arbitrary, but the same in every Chorus process. */
const migrationLock = 4_021_957

const minimumServer = 150_000

/**
 * Migrates the schema to the latest version, or up to one migration, and returns the applied ones. Several processes may call it
 * concurrently.
 */
export async function migrate(
  url: string,
  folder: string,
  report: (line: string) => void = () => {},
  upTo?: string,
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'chorus-migrate' })
  await client.connect()
  try {
    await refuseOldServer(client)
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    return await applyAll(client, await migrationFiles(folder), report, upTo)
  } finally {
    await client.end()
  }
}

/** Whether the database has exactly the migrations this program knows. */
export async function isMigrated(appliedNames: () => Promise<string[]>, folder: string): Promise<boolean> {
  const [applied, known] = await Promise.all([appliedNames(), migrationNames(folder)])
  return known.length === applied.length && known.every((name, index) => name === applied[index])
}

interface Migration {
  name: string
  sql: string
  checksum: string
}

async function refuseOldServer(client: pg.Client) {
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`)
  if (Number(rows[0]?.version) < minimumServer) {
    throw new Error(`PostgreSQL 15 or newer is needed; this server reports ${rows[0]?.version}.`)
  }
}

async function migrationNames(folder: string): Promise<string[]> {
  return (await migrationPaths(folder)).map((path) => basename(path))
}

/** The files of the folder and of the areas beside it, ordered by their names, which start with a number. */
async function migrationPaths(folder: string): Promise<string[]> {
  const areas = join(dirname(folder), 'src', 'areas')
  const ofAreas = (await namesIn(areas)).map((area) => join(areas, area, 'migrations'))
  const found = await Promise.all(
    [folder, ...ofAreas].map(async (one) => (await namesIn(one)).map((name) => join(one, name))),
  )
  return found
    .flat()
    .filter((path) => path.endsWith('.sql'))
    .sort((one, other) => (basename(one) < basename(other) ? -1 : 1))
}

const namesIn = (folder: string) => readdir(folder).catch((): string[] => [])

async function migrationFiles(folder: string): Promise<Migration[]> {
  const paths = await migrationPaths(folder)
  return Promise.all(
    paths.map(async (path) => {
      const sql = await readFile(path, 'utf8')
      return { name: basename(path), sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function applyAll(
  client: pg.Client,
  files: Migration[],
  report: (line: string) => void,
  upTo?: string,
): Promise<string[]> {
  await client.query(`create table if not exists migrations (
    name text collate "C" primary key, checksum text not null, applied timestamptz not null default now())`)
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations')
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  refuseForeignHistory(applied, files)

  const waiting = files.filter(({ name }) => !applied.has(name) && (!upTo || name <= upTo))
  if (waiting.length > 0) await prepareRole(client)
  for (const [index, migration] of waiting.entries()) {
    report(`migration ${index + 1} of ${waiting.length}: ${migration.name}`)
    await apply(client, migration)
    await distributeMore(client, report)
  }
  return waiting.map(({ name }) => name)
}

/** A newer program wrote to this database, or a migration was edited: continuing could damage data. */
function refuseForeignHistory(applied: Map<string, string>, files: Migration[]) {
  const known = new Map(files.map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of applied) {
    const expected = known.get(name)
    if (!expected)
      throw new Error(
        `The database has the migration ${name}, which this version does not know. Start a newer version.`,
      )
    if (expected !== checksum)
      throw new Error(
        `The migration ${name} differs from the one the database was made with. Restore the original file.`,
      )
  }
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration) {
  try {
    await client.query('begin')
    // On a cluster, DDL may follow DML in a transaction only if the DML ran sequentially over the shards.
    await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`)
    for (const statement of statementsOf(sql)) await client.query(statement)
    await secureTables(client)
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new Error(`The migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Splits a script into statements. Citus forwards the whole text of a query to its nodes, so several statements in one text would run
 * several times. Semicolons in quotes, comments and dollar-quoted bodies don't end a statement.
 */
export function statementsOf(script: string): string[] {
  const statements: string[] = []
  let begun = 0
  let hasWords = false
  const end = (at: number) => {
    if (hasWords) statements.push(script.slice(begun, at).trim())
    begun = at + 1
    hasWords = false
  }
  for (let at = 0; at < script.length; ) {
    const past = pastNote(script, at)
    if (past > at) {
      at = past
      continue
    }
    const char = script[at] as string
    if (char === ';') end(at)
    else if (char.trim() !== '') hasWords = true
    at = pastQuote(script, at)
  }
  end(script.length)
  return statements
}

/** The position after the comment that starts here; the same position if none does. */
function pastNote(script: string, at: number): number {
  if (script.startsWith('--', at)) return endOf(script, '\n', at + 2)
  if (script.startsWith('/*', at)) return endOf(script, '*/', at + 2)
  return at
}

/**
 * The position after the quoted text that starts here, else after this character. A doubled quote ends one quoted text and starts the next.
 */
function pastQuote(script: string, at: number): number {
  const char = script[at] as string
  if (char === "'" || char === '"') return endOf(script, char, at + 1)
  if (char !== '$') return at + 1
  dollars.lastIndex = at
  const [mark] = dollars.exec(script) ?? []
  return mark ? endOf(script, mark, at + mark.length) : at + 1
}

const dollars = /\$[A-Za-z_]*\$/y

function endOf(script: string, mark: string, from: number): number {
  const at = script.indexOf(mark, from)
  return at === -1 ? script.length : at + mark.length
}
