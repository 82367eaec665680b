import { once } from 'node:events'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'
import { isDistributed } from '../cluster/cluster.ts'
import {
  countRows,
  type Header,
  lookingAhead,
  qualified,
  type Reference,
  readReferences,
  readTables,
  type Table,
} from './catalogue.ts'
import { begin, withConnection } from './connection.ts'
import type { Content, Meter } from './content.ts'
import { refuseAccounts } from './target.ts'

/** Loads all rows and runs `last` in one transaction. */
export async function load(
  url: string,
  { header, sections }: Content,
  meter: Meter,
  last: (client: pg.Client) => Promise<void> = async () => {},
) {
  await withConnection(url, async (client) => {
    await begin(client, 'isolation level read committed')
    if (await isDistributed((text) => client.query(text))) await oneConnectionPerNode(client)
    await refuseUnknownTables(client, header.tables)
    const restoreRules = await suspendRules(client, header.tables)
    await empty(client, header.tables)
    for await (const { table, chunks } of sections(meter)) {
      expectRows(table, await copyIn(client, table, chunks), meter)
    }
    await restoreRules()
    await setSequences(client, header)
    for (const table of header.tables) expectRows(table, await countRows(client, table), meter)
    await last(client)
    await client.query('commit')
  })
}

/** A transaction that alters and fills tables must not use several connections per node. */
const oneConnectionPerNode = (client: pg.Client) =>
  client.query(`set local citus.multi_shard_modify_mode = 'sequential'`)

async function refuseUnknownTables(client: pg.Client, tables: Table[]) {
  const known = new Set((await readTables(client)).map(({ name }) => name))
  const unknown = tables.find(({ name }) => !known.has(name))
  if (!unknown) return
  throw new Error(
    `The data has a table ${unknown.name}, which no migration makes. Create it in the target database and try again.`,
  )
}

/** Suspends the rules that prevent COPY, for this transaction only; returns the function that restores and checks them. */
async function suspendRules(client: pg.Client, tables: Table[]): Promise<() => Promise<void>> {
  const forced = await forcedTables(client, tables)
  // COPY FROM is refused under row-level security; the owner is exempt where it is not forced.
  for (const name of forced) await client.query(`alter table ${qualified(name)} no force row level security`)
  const ahead = lookingAhead(tables, await readReferences(client))
  for (const reference of ahead) await defer(client, { ...reference, deferrable: true, deferred: true })

  return async () => {
    await client.query('set constraints all immediate')
    for (const reference of ahead) await defer(client, reference)
    for (const name of forced) await client.query(`alter table ${qualified(name)} force row level security`)
  }
}

async function forcedTables(client: pg.Client, tables: Table[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relforcerowsecurity and relname = any($1) order by relname`,
    [tables.map(({ name }) => name)],
  )
  return rows.map(({ name }) => name)
}

async function defer(client: pg.Client, { table, name, deferrable, deferred }: Reference) {
  await client.query(
    `alter table ${qualified(table)} alter constraint ${pg.escapeIdentifier(name)}
     ${deferrable ? 'deferrable' : 'not deferrable'} initially ${deferred ? 'deferred' : 'immediate'}`,
  )
}

/** Deletes rows that a service without accounts left in the target's shared tables. */
async function empty(client: pg.Client, tables: Table[]) {
  await client.query('lock table public.accounts in access exclusive mode')
  // Checked again under the lock and with row-level security suspended: hidden rows would be lost here.
  await refuseAccounts(client)
  await client.query(`truncate ${tables.map(({ name }) => qualified(name)).join(', ')}`)
}

function expectRows({ name }: Table, rows: number, meter: Meter) {
  const expected = meter.rows.get(name)
  if (rows === expected) return
  throw new Error(`The table ${name} has ${rows} rows in the target and ${expected} in the source. Nothing was loaded.`)
}

async function setSequences(client: pg.Client, { sequences }: Header) {
  for (const { name, value, called } of sequences) {
    await client.query('select setval($1::regclass, $2, $3)', [qualified(name), value, called])
  }
}

/** The statement that loads a table; it also precedes the table's rows in a backup. */
export function loadStatement({ name, columns }: Table): string {
  return `COPY ${qualified(name)} (${columnList(columns)}) FROM stdin`
}

export async function* copyOut(client: pg.Client, table: Table): AsyncGenerator<Buffer> {
  // A query instead of the table itself, because partitioned tables can't be copied directly.
  const query = `select ${columnList(table.columns)} from ${qualified(table.name)}`
  const rows = client.query(to(`copy (${query}) to stdout`))
  // A second error, after the one that ended the loop below, must not crash the process.
  rows.on('error', () => {})
  try {
    yield* rows
  } catch (error) {
    throw failure('Reading', table, error)
  }
}

/** Returns the number of rows the server reports as loaded. */
async function copyIn(client: pg.Client, table: Table, chunks: AsyncIterable<Buffer>): Promise<number> {
  const rows = client.query(from(loadStatement(table), { highWaterMark: 256 * 1024 }))
  const outcome: { error?: Error } = {}
  rows.on('error', (error) => {
    outcome.error ??= failure('Loading', table, error)
  })
  // Not a pipeline: destroying this stream waits for a response that a lost connection never sends.
  for await (const chunk of chunks) {
    if (!outcome.error && !rows.write(chunk)) await settled(once(rows, 'drain'))
    if (outcome.error) throw outcome.error
  }
  if (!outcome.error) await settled(once(rows.end(), 'finish'))
  if (outcome.error) throw outcome.error
  return rows.rowCount
}

function columnList(columns: string[]): string {
  return columns.map(pg.escapeIdentifier).join(', ')
}

function failure(work: 'Reading' | 'Loading', { name }: Table, error: unknown): Error {
  const { message, detail } = error as pg.DatabaseError
  return new Error(`${work} the table ${name} failed: ${message}${detail ? ` (${detail})` : ''}`, { cause: error })
}

/** The error listener records the failure. */
async function settled(event: Promise<unknown>) {
  await event.catch(() => {})
}
