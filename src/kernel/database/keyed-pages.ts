import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { type Listed, pagesOf } from '../pages.ts'
import type { Db } from './database.ts'

/** Ids separated by commas: a single string takes a third of the memory of an array and is passed to a statement unchanged. */
export type Keys = string

/**
 * The condition that a column contains one of these ids. With an array parameter, the driver would scan every id for characters to escape,
 * which ids never contain.
 */
export const among = (column: string, keys: Keys) =>
  sql<SqlBool>`${sql.ref(column)} = any (string_to_array(${keys}, ','))`

export interface PageOptions<DB, Table extends keyof DB, Row, Item> {
  /** Rows per page. */
  size: number
  /** Maps the rows of a page to list items. */
  each?: (rows: Row[]) => readonly Item[] | Promise<readonly Item[]>
  /** Reads the same rows by their ids, if the query itself would be slow for every page. */
  rows?: SelectQueryBuilder<DB, Table, Row>
  /** The id column, if several tables have one. */
  id?: string
}

/**
 * All rows of a query, in its order: as an array if they fit on one page, else in pages. Then only the ids are held and each page is read
 * on demand with the conditions of the query, so a statement lasts as long as its page and no connection waits for a slow reader.
 */
export async function listed<DB, Table extends keyof DB, Row, Item = Row>(
  db: Db,
  query: SelectQueryBuilder<DB, Table, Row>,
  options: PageOptions<DB, Table, Row, Item>,
): Promise<Listed<Item>> {
  return (await listedWithTotal(db, query, options)).items
}

/** The same with the total number of rows. */
export async function listedWithTotal<DB, Table extends keyof DB, Row, Item = Row>(
  db: Db,
  query: SelectQueryBuilder<DB, Table, Row>,
  { size, each = same, rows = query, id = 'id' }: PageOptions<DB, Table, Row, Item>,
): Promise<{ items: Listed<Item>; total: number }> {
  const first = await query.limit(size + 1).execute()
  if (first.length <= size) return { items: await each(first), total: first.length }
  const keys = await keysOf(db, query, id)
  const read = async (some: Keys) => each(await rows.where(among(id, some)).execute())
  return { items: pagesOf(partsOf(keys, size), read), total: keyCount(keys) }
}

const same = <Row, Item>(rows: Row[]) => rows as unknown as Item[]

/** The ids of all rows of a query, in its order. */
async function keysOf<DB, Table extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, Table, Row>,
  id: string,
): Promise<Keys> {
  const ids = query.clearSelect().select(sql<string>`${sql.ref(id)}`.as('key'))
  const all = sql<{ keys: Keys }>`select coalesce(string_agg(found.key, ','), '') as keys from (${ids}) found`
  const { rows } = await all.execute(db)
  return rows[0]?.keys ?? ''
}

/** Rows by their ids: as an array if they fit on one page, else in pages. */
export async function keyedList<Row>(
  keys: Keys,
  size: number,
  read: (some: Keys) => Promise<readonly Row[]>,
): Promise<Listed<Row>> {
  return keyCount(keys) <= size ? read(keys) : pagesOf(partsOf(keys, size), read)
}

/** The first ids, up to a maximum number. */
export const firstKeys = (keys: Keys, most: number): Keys => partsOf(keys, most).next().value ?? ''

function keyCount(keys: Keys): number {
  let count = keys === '' ? 0 : 1
  for (let comma = keys.indexOf(','); comma >= 0; comma = keys.indexOf(',', comma + 1)) count++
  return count
}

function* partsOf(keys: Keys, size: number): Generator<Keys, undefined> {
  for (let from = 0; from < keys.length; ) {
    let end = from - 1
    for (let count = 0; count < size && end < keys.length; count++) {
      const comma = keys.indexOf(',', end + 1)
      end = comma < 0 ? keys.length : comma
    }
    yield keys.slice(from, end)
    from = end + 1
  }
}
