import { once } from 'node:events'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'
import { qualified } from './catalogue.ts'
import type { Table } from './header.ts'

/** The statement that loads a table; it also heads the table's rows in a backup. */
export function loadStatement({ name, columns }: Table): string {
  return `COPY ${qualified(name)} (${columnList(columns)}) FROM stdin`
}

export async function* copyOut(client: pg.Client, table: Table): AsyncGenerator<Buffer> {
  // A query and not the table itself, which cannot be copied when it is partitioned.
  const query = `select ${columnList(table.columns)} from ${qualified(table.name)}`
  const rows = client.query(to(`copy (${query}) to stdout`))
  // A second error, after the one that ended the loop below, must not end the process.
  rows.on('error', () => {})
  try {
    yield* rows
  } catch (error) {
    throw failure('Reading', table, error)
  }
}

/** Returns how many rows the server says it has taken. */
export async function copyIn(client: pg.Client, table: Table, chunks: AsyncIterable<Buffer>): Promise<number> {
  const rows = client.query(from(loadStatement(table), { highWaterMark: 256 * 1024 }))
  const outcome: { error?: Error } = {}
  rows.on('error', (error) => {
    outcome.error ??= failure('Loading', table, error)
  })
  // Not a pipeline: destroying this stream waits for an answer that a lost connection never gives.
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

/** The error listener keeps what went wrong. */
async function settled(event: Promise<unknown>) {
  await event.catch(() => {})
}
