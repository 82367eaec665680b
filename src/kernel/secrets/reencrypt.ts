import { sql } from 'kysely'
import type { Database, Db } from '../database/database.ts'
import type { DB } from '../database/tables.ts'
import type { Keyring } from './keyring.ts'

/** A column with values encrypted by a keyring. */
export interface EncryptedColumn {
  readonly table: string
  readonly column: string
  /** The primary key; a table whose key starts with `accountId` is processed account by account. */
  readonly keyColumns: readonly string[]
  /** The encryption context of a row's value. */
  readonly context: (row: { [column: string]: string }) => string
}

/** Declares an encrypted column with type-checked names. */
export const encryptedColumn = <Table extends keyof DB, Key extends keyof DB[Table] & string>(
  table: Table,
  column: keyof DB[Table] & string,
  keyColumns: readonly Key[],
  context: (row: { [key in Key]: string }) => string,
): EncryptedColumn => ({ table, column, keyColumns, context: context as EncryptedColumn['context'] })

/** The accounts with rows in a table; '' for a table without accounts. */
async function scopesOf({ shared }: Database, { keyColumns }: EncryptedColumn): Promise<string[]> {
  if (keyColumns[0] !== 'accountId') return ['']
  const { rows } = await sql<{ id: string }>`select chorus_account_ids() as id`.execute(shared)
  return rows.map(({ id }) => id)
}

/** Number of values encrypted by each key. */
export async function keysInUse(database: Database, cells: readonly EncryptedColumn[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const cell of cells) {
    for (const scope of await scopesOf(database, cell)) {
      const { rows } = await sql<{ key: string; count: number }>`
        select split_part(${sql.ref(cell.column)}, ':', 2) as key, count(*)::int as count from ${sql.table(cell.table)}
        where ${sql.ref(cell.column)} is not null ${ofScope(scope)} group by 1`.execute(database.forAccount(scope))
      for (const { key, count } of rows) counts.set(key, (counts.get(key) ?? 0) + count)
    }
  }
  return counts
}

/** Redundant with row-level security, but lets the index be used. */
const ofScope = (scope: string) => (scope ? sql`and account_id = ${scope}` : sql``)

type Row = { [column: string]: string }

interface Tally {
  /** Encrypted again. */
  done: number
  /** Changed concurrently between read and write. */
  overtaken: number
  /** Encrypted by a missing key, or damaged. */
  unreadable: number
}

/** Called after each batch with `table.column` and the number of values encrypted. */
type Report = (cell: string, done: number) => void

const batchSize = 200

/**
 * Encrypts every value again that is not encrypted by the newest key, while the service runs. After an interruption it continues where it
 * stopped. Returns how many values were encrypted and how many can't be read.
 */
export async function reencrypt(
  database: Database,
  keyring: Keyring,
  cells: readonly EncryptedColumn[],
  report: Report = () => {},
): Promise<{ done: number; unreadable: number }> {
  const total = { done: 0, unreadable: 0 }
  for (const cell of cells) {
    let tally: Tally
    do {
      tally = await pass(database, keyring, cell, report)
      total.done += tally.done
      // Values changed concurrently are read again in the next pass, with their current key.
    } while (tally.done + tally.overtaken > 0)
    total.unreadable += tally.unreadable
  }
  return total
}

async function pass(database: Database, keyring: Keyring, cell: EncryptedColumn, report: Report): Promise<Tally> {
  const sum: Tally = { done: 0, overtaken: 0, unreadable: 0 }
  for (const scope of await scopesOf(database, cell)) {
    let last: Row | undefined
    do {
      const before = last
      const { tally, rows } = await database.transaction(scope, async (db) => {
        const rows = await readBatch(db, keyring.newest, cell, scope, before)
        return { rows, tally: await sealBatch(db, keyring, cell, rows) }
      })
      last = rows.length === batchSize ? rows.at(-1) : undefined
      sum.overtaken += tally.overtaken
      sum.unreadable += tally.unreadable
      sum.done += tally.done
      if (tally.done > 0) report(`${cell.table}.${cell.column}`, tally.done)
    } while (last)
  }
  return sum
}

async function readBatch(
  db: Db,
  newest: string,
  { table, column, keyColumns }: EncryptedColumn,
  scope: string,
  last?: Row,
) {
  const keys = sql.join(keyColumns.map((name) => sql.ref(name)))
  const beyond = last ? sql`and (${keys}) > (${sql.join(keyColumns.map((name) => last[name]))})` : sql``
  const { rows } = await sql<Row>`
    select ${keys}, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where ${sql.ref(column)} is not null and split_part(${sql.ref(column)}, ':', 2) <> ${newest} ${ofScope(scope)} ${beyond}
    order by ${keys} limit ${batchSize}`.execute(db)
  return rows
}

async function sealBatch(
  db: Db,
  keyring: Keyring,
  { table, column, keyColumns, context }: EncryptedColumn,
  rows: Row[],
) {
  const tally: Tally = { done: 0, overtaken: 0, unreadable: 0 }
  for (const row of rows) {
    const sealed = row.sealed as string
    const secret = readable(keyring, sealed, context(row))
    if (secret === undefined) {
      tally.unreadable++
      continue
    }
    const same = keyColumns.map((name) => sql`${sql.ref(name)} = ${row[name]}`)
    const { numAffectedRows } = await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${keyring.encrypt(secret, context(row))}
      where ${sql.join(same, sql` and `)} and ${sql.ref(column)} = ${sealed}`.execute(db)
    if (numAffectedRows === 1n) tally.done++
    else tally.overtaken++
  }
  return tally
}

function readable(keyring: Keyring, sealed: string, context: string): string | undefined {
  try {
    return keyring.decrypt(sealed, context)
  } catch {
    return undefined
  }
}
