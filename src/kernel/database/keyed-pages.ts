import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { type Listed, pagesOf } from '../pages.ts'
import type { Db } from './database.ts'

/** Ids separated by commas: as one text they take a third of the memory of a list, and a statement takes them as they are. */
export type Keys = string

/** The condition that a column holds one of these ids. Written as an array, every id would be searched for characters that no id has. */
export const among = (column: string, keys: Keys) =>
  sql<SqlBool>`${sql.ref(column)} = any (string_to_array(${keys}, ','))`

export interface PageOptions<DB, Table extends keyof DB, Row, Item> {
  /** How many rows are read at a time. */
  size: number
  /** What stands for rows in the list, for as many of them as are read together. */
  each?: (rows: Row[]) => readonly Item[] | Promise<readonly Item[]>
  /** Reads the same rows by their ids, where the query itself would take long for every page. */
  rows?: SelectQueryBuilder<DB, Table, Row>
  /** The column with the ids, where several tables have one. */
  id?: string
}

/**
 * Everything a query finds, in its order: as a whole if it fits on one page, else in pages. Then only the ids are held, and each page is read
 * when it is wanted, with the conditions of the query: a statement lasts as long as its page, and no connection waits for a slow reader.
 */
export async function listed<DB, Table extends keyof DB, Row, Item = Row>(
  db: Db,
  query: SelectQueryBuilder<DB, Table, Row>,
  options: PageOptions<DB, Table, Row, Item>,
): Promise<Listed<Item>> {
  return (await listedWithTotal(db, query, options)).items
}

/** The same with how many there are. */
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

/** The ids of everything a query finds, in its order. */
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

/** Rows by their ids: at once if they fit on one page, else in pages. */
export async function keyedList<Row>(
  keys: Keys,
  size: number,
  read: (some: Keys) => Promise<readonly Row[]>,
): Promise<Listed<Row>> {
  return keyCount(keys) <= size ? read(keys) : pagesOf(partsOf(keys, size), read)
}

/** No more than so many of them. */
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
