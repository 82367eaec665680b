import type pg from 'pg'
import { allKnown, migrate } from '../schema/migrate.ts'
import { type MigrationFolders, readMigrationFiles } from '../schema/migration-files.ts'
import type { AppliedMigration, Header } from './catalogue.ts'
import { qualified, readMigrations, readTableNames } from './catalogue.ts'
import { withConnection } from './connection.ts'

/** Refuses a database that contains accounts or tables of another application. */
export async function refuseUsedTarget(url: string) {
  await withConnection(url, async (client) => {
    const names = await readTableNames(client)
    if (names.every((name) => name === 'migrations')) return
    if (!names.includes('migrations') || !names.includes('accounts')) {
      throw new Error('The target database holds tables that are not of Chorus. Use an empty database.')
    }
    await refuseAccounts(client)
  })
}

/** The rows of all other tables belong to an account or are recreated when the service starts. */
export async function refuseAccounts(client: pg.Client) {
  const { rows } = await client.query('select 1 from public.accounts limit 1')
  if (rows.length > 0) throw new Error('The target database already holds accounts. Use an empty database.')
}

/** Migrates the target to the schema version of the rows, which may be older than the program. */
export async function prepareTarget(url: string, { migrations, version }: Header, folders: MigrationFolders) {
  const known = new Set(allKnown(await readMigrationFiles(folders)).map(({ name }) => name))
  const unknown = migrations.find(({ name }) => !known.has(name))
  if (unknown) {
    throw new Error(
      `The data was written by Chorus ${version}, which is newer: this version does not know the migration ` +
        `${unknown.name}. Start that version or a later one.`,
    )
  }
  await migrate(url, folders, undefined, migrations.at(-1)?.name)
  const applied = await withConnection(url, readMigrations)
  refuseDifference(applied, migrations)
}

/** Migrates the schema to the latest version and analyzes the loaded tables. */
export async function finishTarget(url: string, { tables }: Header, folders: MigrationFolders) {
  await migrate(url, folders)
  await withConnection(url, async (client) => {
    const present = new Set(await readTableNames(client))
    const names = tables.filter(({ name }) => present.has(name)).map(({ name }) => qualified(name))
    await client.query(`analyze ${names.join(', ')}`)
  })
}

function refuseDifference(applied: AppliedMigration[], expected: AppliedMigration[]) {
  const checksums = new Map(expected.map(({ name, checksum }) => [name, checksum]))
  for (const { name, checksum } of applied) {
    if (!checksums.has(name)) {
      throw new Error(
        `The target database already has the migration ${name}, and the data was written without it. ` +
          'Use a database without tables: the missing migrations are applied after the data is loaded.',
      )
    }
    if (checksums.get(name) !== checksum) {
      throw new Error(`The migration ${name} differs from the one the data was written under. Use the original file.`)
    }
  }
}
