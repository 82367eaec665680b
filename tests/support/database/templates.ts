import pg from 'pg'
import { ownerQuery } from '#kernel/database/owner.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { prepareDemo } from '#main/demo.ts'
import { migrationFolders } from '#main/project.ts'
import { recurringJobs } from '#main/registry.ts'
import { fillTables, largeTables, oldestMigration } from '../../upgrade/rows.ts'
import { elsewhere } from '../files.ts'
import { copyDatabase, createDatabase, databaseAt, dropDatabase, layOut, renameDatabase } from './nodes.ts'
import { openPatientDatabase } from './patient-database.ts'

/** The time at which a demo workspace was seeded, in milliseconds, and its keyring. */
export interface Demo {
  readonly keys: string
  readonly moment: number
}

export const demoKey = 'demo-key-of-the-tests'
/** The migrated, empty template database. */
export const emptyTemplate = 'chorus_template'
/** A copy for explaining statements: a template must have no connections. */
export const shardsDatabase = `${emptyTemplate}_shards`
const demoTemplate = (moment: number) => `${emptyTemplate}_demo_${moment}`

export async function makeEmptyTemplate(serverUrl: string) {
  await createDatabase(serverUrl, emptyTemplate)
  if (process.env.TEST_SCHEMA === 'upgraded') await fillOldest(databaseAt(serverUrl, emptyTemplate))
  await migrate(databaseAt(serverUrl, emptyTemplate), migrationFolders)
  await layOut(databaseAt(serverUrl, emptyTemplate))
}

/** The oldest schema that can be upgraded, with rows in every table; TEST_ROWS is their number in each large one. */
async function fillOldest(url: string) {
  await migrate(url, migrationFolders, undefined, oldestMigration)
  const rowsOfLarge = Number(process.env.TEST_ROWS ?? 100)
  await fillTables(url, (table) => (largeTables.includes(table) ? rowsOfLarge : 100))
}

const ready = new Map<string, Promise<string>>()

/** Returns the name of a database with the demo workspace of that time; the first caller seeds it, others wait. */
export function seedDemoOnce(serverUrl: string, demo: Demo): Promise<string> {
  const name = demoTemplate(demo.moment)
  const known = ready.get(name) ?? seedUnlessThere(serverUrl, name, demo)
  ready.set(name, known)
  return known
}

/** Only one of all workers seeds it. */
async function seedUnlessThere(serverUrl: string, name: string, demo: Demo): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount) return name
    // Renamed when complete: an interrupted run leaves nothing that seems ready.
    await dropDatabase(serverUrl, `${name}_new`)
    await copyDatabase(serverUrl, `${name}_new`, emptyTemplate)
    await seed(databaseAt(serverUrl, `${name}_new`), demo)
    await renameDatabase(serverUrl, `${name}_new`, name)
    return name
  } finally {
    await client.end()
  }
}

/** Includes leftovers of interrupted runs. */
export async function dropTemplates(serverUrl: string) {
  const templates = await ownerQuery<{ datname: string }>(
    serverUrl,
    'select datname from pg_database where starts_with(datname, $1)',
    [emptyTemplate],
  )
  for (const { datname } of templates) await dropDatabase(serverUrl, datname)
}

async function seed(url: string, { keys, moment }: Demo) {
  const database = openPatientDatabase({ url, connections: 2 })
  const outbound = openOutbound({ allow: [] })
  const clock = { now: () => new Date(moment) }
  const installation = { database, listener: undefined, clock, keyring: readKeyring(keys), outbound, ...elsewhere }
  await prepareDemo(installation, demoKey)
  // Recurring jobs are marked as just run, so that the services of the tests don't all run them again.
  const schedule = recurringJobs.map(({ job, every }) => ({ name: job.name, next: new Date(moment + every) }))
  await database.shared.insertInto('jobSchedule').values(schedule).execute()
  await outbound.close()
  await database.close()
}
