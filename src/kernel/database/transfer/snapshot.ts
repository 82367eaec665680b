import type pg from 'pg'
import { isDistributed } from '../cluster/cluster.ts'
import { beginOnAllNodes } from '../cluster/moment.ts'
import type { Header, Table } from './catalogue.ts'
import {
  loadingOrder,
  qualified,
  readMigrations,
  readReferences,
  readSequences,
  readTableNames,
  readTables,
} from './catalogue.ts'
import { begin, withConnection } from './connection.ts'
import type { Content } from './content.ts'
import { copyOut } from './load.ts'

export interface SnapshotOptions {
  url: string
  now: Date
  version: string
}

/** Runs the work on a consistent snapshot of a database, regardless of concurrent writes. */
export function withSnapshot<Result>(
  options: SnapshotOptions,
  work: (content: Content, client: pg.Client) => Promise<Result>,
): Promise<Result> {
  return withConnection(options.url, async (client) => {
    const start = () => begin(client, 'isolation level repeatable read read only')
    if (await isDistributed((text) => client.query(text))) {
      // Before any lock is taken: a user that can't see every row may not be allowed to lock, either.
      await refuseHiddenRows(client, await readTables(client))
      await beginOnAllNodes(client, options.url, start)
    } else await start()
    const header = await describe(client, options)
    const content: Content = {
      header,
      async *sections(meter) {
        for (const table of header.tables) yield { table, chunks: meter.count(table, copyOut(client, table)) }
      },
    }
    return work(content, client)
  })
}

async function describe(client: pg.Client, { now, version }: SnapshotOptions): Promise<Header> {
  const migrations = (await readTableNames(client)).includes('migrations') ? await readMigrations(client) : []
  if (migrations.length === 0) throw new Error('The source database is not one of Chorus: it has no migrations.')
  const tables = loadingOrder(await readTables(client), await readReferences(client))
  await lock(client, tables)
  await refuseHiddenRows(client, tables)
  return {
    format: 'chorus-backup',
    formatVersion: 1,
    version,
    date: now.toISOString(),
    migrations,
    tables,
    sequences: await readSequences(client),
  }
}

/** Keeps a migration from changing a table before it is copied. */
async function lock(client: pg.Client, tables: Table[]) {
  const names = tables.map(({ name }) => qualified(name))
  if (names.length > 0) await client.query(`lock table ${names.join(', ')} in access share mode`)
}

/** Row-level security omits rows without an error: a backup by the wrong user would be empty and appear valid. */
async function refuseHiddenRows(client: pg.Client, tables: Table[]) {
  const { rows } = await client.query<{ name: string; user: string }>(
    `select c.relname as name, current_user as user from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and row_security_active(c.oid)
       and not exists (select from pg_policy p cross join unnest(p.polroles) role
         where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('*', 'r')
           and pg_get_expr(p.polqual, p.polrelid) = 'true' and (role = 0 or pg_has_role(role, 'usage')))`,
    [tables.map(({ name }) => name)],
  )
  if (!rows[0]) return
  throw new Error(
    `The database user ${rows[0].user} does not see every row of the table ${rows[0].name}. ` +
      'Connect as the user who made the database, or as a superuser.',
  )
}
