import pg from 'pg'
import { distributeMore } from '../cluster/distribute.ts'
import {
  currentNames,
  type FormerMigrations,
  type Migration,
  type MigrationFolders,
  type Migrations,
  type RecordedMigration,
  readMigrationFiles,
} from './migration-files.ts'
import { prepareRole, secureTables } from './row-security.ts'

/** Arbitrary, but the same in every Chorus process. */
const migrationLock = 4_021_957

const minimumServer = 150_000

/**
 * Migrates the schema to the latest version, or up to one migration, and returns the applied ones. Several processes may call it
 * concurrently.
 *
 * An empty database applies the baseline and the migrations after it. A database from before the baseline applies the upgrades it lacks;
 * then the baseline is recorded in place of its former migrations.
 */
export async function migrate(
  url: string,
  folders: MigrationFolders,
  report: (line: string) => void = () => {},
  upTo?: string,
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'chorus-migrate' })
  await client.connect()
  try {
    await refuseOldServer(client)
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    return await applyAll(client, await readMigrationFiles(folders), report, upTo)
  } finally {
    await client.end()
  }
}

/** Whether the database has exactly the migrations this program knows. */
export async function isMigrated(appliedNames: () => Promise<string[]>, folders: MigrationFolders): Promise<boolean> {
  const [applied, known] = await Promise.all([appliedNames(), currentNames(folders)])
  return known.length === applied.length && known.every((name, index) => name === applied[index])
}

async function refuseOldServer(client: pg.Client) {
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`)
  if (Number(rows[0]?.version) < minimumServer) {
    throw new Error(`PostgreSQL 15 or newer is needed; this server reports ${rows[0]?.version}.`)
  }
}

async function applyAll(
  client: pg.Client,
  migrations: Migrations,
  report: (line: string) => void,
  upTo?: string,
): Promise<string[]> {
  await client.query(`create table if not exists migrations (
    name text collate "C" primary key, checksum text not null, applied timestamptz not null default now())`)
  const { rows } = await client.query<RecordedMigration>('select name, checksum from migrations')
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  refuseForeignHistory(applied, allKnown(migrations))

  const steps = pendingSteps(applied, migrations, upTo)
  if (steps.length > 0) await prepareRole(client)
  for (const [index, step] of steps.entries()) {
    report(`migration ${index + 1} of ${steps.length}: ${step.name}`)
    await apply(client, step)
    await distributeMore(client, report)
  }
  return steps.map(({ name }) => name)
}

/** Every migration that a database which this version can use may have recorded. */
export const allKnown = ({ current, former }: Migrations): RecordedMigration[] => [
  ...former.base.recorded,
  ...former.upgrades,
  ...current,
]

/** What is applied in one transaction. */
interface Step {
  readonly name: string
  readonly sql: string
  readonly recorded: readonly RecordedMigration[]
  /** Names that are no longer recorded. */
  readonly replaced: readonly string[]
}

function pendingSteps(applied: ReadonlyMap<string, string>, { current, former }: Migrations, upTo?: string): Step[] {
  const isDue = ({ name }: Migration) => !applied.has(name) && (!upTo || name <= upTo)
  const [baseline, ...later] = current
  const isFormerTarget = upTo !== undefined && formerHistory(former).includes(upTo)
  const isFormer = applied.size > 0 && !applied.has(baseline.name)
  if (!isFormer && !isFormerTarget) return current.filter(isDue).map(stepOf)
  if (!isFormer && applied.size > 0) return []
  refuseTooOld(isFormer ? [...applied.keys()] : [upTo ?? ''], former)
  const steps = [...(isFormer ? [] : [baseStep(former)]), ...former.upgrades.filter(isDue).map(stepOf)]
  if (isFormerTarget) return steps
  return [...steps, adoptionStep(baseline, former), ...later.filter(isDue).map(stepOf)]
}

const formerHistory = ({ base, upgrades }: FormerMigrations) => [...base.recorded, ...upgrades].map(({ name }) => name)

const stepOf = (migration: Migration): Step => ({ ...migration, recorded: [migration], replaced: [] })

/** The schema of the oldest version that can be upgraded, for the rows of its backups. */
const baseStep = ({ base: { sql, recorded } }: FormerMigrations): Step => ({
  name: recorded.at(-1)?.name ?? '',
  sql,
  recorded,
  replaced: [],
})

/** The upgraded schema is that of the baseline, which is recorded without being run. */
const adoptionStep = (baseline: Migration, former: FormerMigrations): Step => ({
  name: baseline.name,
  sql: '',
  recorded: [baseline],
  replaced: formerHistory(former),
})

function refuseTooOld(names: readonly string[], { base, upgrades }: FormerMigrations) {
  const last = base.recorded.at(-1)?.name ?? ''
  const reaches = [last, ...upgrades.map(({ name }) => name)]
  if (names.some((name) => reaches.includes(name))) return
  throw new Error(
    `The data ends with the migration ${names.toSorted().at(-1)}, which is older than this version can upgrade. ` +
      `First start commit 5d0556c, whose last migration is ${last}, on the database; then start this version.`,
  )
}

/** A newer program wrote to this database, or a migration was edited: continuing could damage data. */
function refuseForeignHistory(applied: ReadonlyMap<string, string>, migrations: readonly RecordedMigration[]) {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
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

async function apply(client: pg.Client, { name, sql, recorded, replaced }: Step) {
  try {
    await client.query('begin')
    // On a cluster, DDL may follow DML in a transaction only if the DML ran sequentially over the shards.
    await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`)
    for (const statement of statementsOf(sql)) await client.query(statement)
    await secureTables(client)
    await client.query('delete from migrations where name = any($1)', [replaced])
    for (const { name, checksum } of recorded)
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
