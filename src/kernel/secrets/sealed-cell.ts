import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { DB } from '../database/tables.ts'

/** A column whose cells a keyring has sealed. */
export interface SealedCell {
  readonly table: string
  readonly column: string
  /** The primary key; a table whose key begins with `accountId` is gone through account by account. */
  readonly keyColumns: readonly string[]
  /** The place a row's cell was sealed for. */
  readonly place: (row: { [column: string]: string }) => string
}

/** Declares one, with names that the tables really have. */
export const sealedCell = <Table extends keyof DB, Key extends keyof DB[Table] & string>(
  table: Table,
  column: keyof DB[Table] & string,
  keyColumns: readonly Key[],
  place: (row: { [key in Key]: string }) => string,
): SealedCell => ({ table, column, keyColumns, place: place as SealedCell['place'] })

/** The accounts whose rows a table has; '' for a table that belongs to none. */
export async function scopesOf({ shared }: Database, { keyColumns }: SealedCell): Promise<string[]> {
  if (keyColumns[0] !== 'accountId') return ['']
  const { rows } = await sql<{ id: string }>`select chorus_account_ids() as id`.execute(shared)
  return rows.map(({ id }) => id)
}

/** How many cells each key has sealed. */
export async function keysInUse(database: Database, cells: readonly SealedCell[]): Promise<Map<string, number>> {
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

/** Row security says so too; this lets the index be used. */
export const ofScope = (scope: string) => (scope ? sql`and account_id = ${scope}` : sql``)
