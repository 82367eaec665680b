import { type SelectQueryBuilder, sql } from 'kysely'
import type { Listed } from '../pages.ts'
import type { Db } from './database.ts'
import { listedWithTotal, type PageOptions } from './keyed-pages.ts'
import { type PreparedStatement, prepared } from './prepared.ts'
import type { DB } from './tables.ts'

export interface Page<Limit extends number | undefined = number> {
  offset: number
  limit: Limit
  order: { column: string; kind: 'date' | 'text' | 'flag' | 'number'; ascending: boolean }
}

/** A page, or all rows if no page is requested: for lists without paging in the contract. */
export type OpenPage = Page<number | undefined>

/**
 * One page and the total number of matching rows; ties are ordered by id, so pages never overlap. `known` provides the total if the caller
 * has it without counting.
 */
export async function paginate<DB, Table extends keyof DB, Row>(
  matching: SelectQueryBuilder<DB, Table, Row>,
  { offset, limit, order }: Page,
  known?: () => Promise<number>,
): Promise<{ items: Row[]; total: number }> {
  // Two concurrent statements: a window count would be four times as slow, and zero for a page past the end.
  const [items, total] = await Promise.all([
    ordered(matching, order).limit(limit).offset(offset).execute(),
    known ? known() : countOf(matching),
  ])
  return { items, total }
}

/** The same where all rows may be requested; long results are read page by page. */
export async function paginateOrAll<DB, Table extends keyof DB, Row, Item = Row>(
  db: Db,
  matching: SelectQueryBuilder<DB, Table, Row>,
  { offset, limit, order }: OpenPage,
  options: PageOptions<DB, Table, Row, Item>,
): Promise<{ items: Listed<Item>; total: number }> {
  if (limit === undefined) return listedWithTotal(db, ordered(matching, order), options)
  const { items, total } = await paginate(matching, { offset, limit, order })
  return { items: options.each ? await options.each(items) : (items as unknown as Item[]), total }
}

/**
 * The same for lists that are requested often: the statements are prepared. `matching` may depend on which values are given, but not on what
 * they are.
 */
export function preparedPages<Values extends object, Table extends keyof DB, Row>(
  matching: (db: Db, values: Values) => SelectQueryBuilder<DB, Table, Row>,
): (db: Db, values: Values, page: Page) => Promise<{ items: Row[]; total: number }> {
  type Paged = Values & { pageLimit: number; pageOffset: number }
  const byOrder = new Map<string, PreparedStatement<Paged, Row>>()
  const itemsIn = (order: Page['order']) => {
    const name = `${order.column} ${order.kind} ${order.ascending}`
    const known = byOrder.get(name)
    if (known) return known
    const made = prepared<Paged, Row>((db, values) =>
      ordered(matching(db, values), order).limit(values.pageLimit).offset(values.pageOffset),
    )
    byOrder.set(name, made)
    return made
  }
  const totals = prepared((db, values: Values) =>
    matching(db, values).clearSelect().select(sql<number>`count(*)`.as('total')),
  )
  return async (db, values, { offset, limit, order }) => {
    const [items, counted] = await Promise.all([
      itemsIn(order).rows(db, { ...values, pageLimit: limit, pageOffset: offset }),
      totals.first(db, values),
    ])
    return { items, total: (counted as { total: number }).total }
  }
}

function ordered<DB, Table extends keyof DB, Row>(
  matching: SelectQueryBuilder<DB, Table, Row>,
  { column, kind, ascending }: Page['order'],
) {
  const direction = ascending ? 'asc' : 'desc'
  const key = kind === 'text' ? sql`lower(${sql.ref(column)})` : sql.ref(column)
  return matching.orderBy(key, direction).orderBy(sql.ref('id'), direction)
}

async function countOf<DB, Table extends keyof DB, Row>(matching: SelectQueryBuilder<DB, Table, Row>) {
  const count = await matching.clearSelect().select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
  return (count as { total: number }).total
}

/** The LIKE pattern for text that contains these characters literally. */
export const contains = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
