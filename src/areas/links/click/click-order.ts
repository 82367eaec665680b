import { type SelectQueryBuilder, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Page } from '#kernel/database/paginate.ts'
import type { DB } from '#kernel/database/tables.ts'
import type { ClickRow } from './click-row.ts'

type Matching = SelectQueryBuilder<DB, 'clicks', ClickRow>

interface Knowledge {
  /** So few that they can be sorted. */
  isFew: boolean
  /** How many they are, where that is known without counting them. */
  known?: (() => Promise<number>) | undefined
}

/** What a click can be ordered by: the column that says which, and where its name is. */
const named = {
  campaignName: { column: 'campaign_id', table: 'campaigns', name: 'name' },
  credentialName: { column: 'credential_id', table: 'credentials', name: 'display_name' },
} as const
type Named = (typeof named)[keyof typeof named]

/** One page in the order of names, and the number of all that match; those of one name in the order they came. */
export async function pageByName(context: Context, matching: Matching, page: Page, { isFew, known }: Knowledge) {
  const of = named[page.order.column as keyof typeof named]
  const rows = isFew ? sorted(context, matching, page, of) : walked(context, matching, page, of)
  const [items, total] = await Promise.all([rows, known ? known() : countOf(matching)])
  return { items, total }
}

function sorted({ accountId }: Context, matching: Matching, { order, limit = 0, offset }: Page, of: Named) {
  const direction = order.ascending ? 'asc' : 'desc'
  const name = sql`(select lower(${sql.ref(of.name)}) from ${sql.table(of.table)} n
    where n.account_id = ${accountId} and n.id = ${sql.ref(`clicks.${of.column}`)})`
  return matching
    .orderBy(name, direction)
    .orderBy(sql.ref(of.column), direction)
    .orderBy('clicks.created', direction)
    .orderBy('clicks.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
}

/**
 * Walks through the names, and through the clicks of each by their index, until the page is full: sorting a million clicks for
 * twenty-five would be the alternative. Which names there are is found by jumping through the same index.
 */
async function walked({ db, accountId }: Context, matching: Matching, page: Page, of: Named): Promise<ClickRow[]> {
  const { order, limit = 0, offset } = page
  const direction = sql.raw(order.ascending ? 'asc' : 'desc')
  const column = sql.ref(`clicks.${of.column}`)
  const first = sql`from ${sql.table('clicks')} where account_id = ${accountId} and class = 'human'`
  const ofName = matching
    .where(sql<boolean>`${column} = names.id`)
    .orderBy(sql`clicks.created ${direction}, clicks.id ${direction}`)
    .limit(offset + limit)
  const { rows } = await sql<ClickRow>`select found.* from (
      select met.id, lower(n.${sql.ref(of.name)}) as name from (
        with recursive next (id) as (
          select min(${column}) ${first}
          union all select (select min(${column}) ${first} and ${column} > next.id) from next where next.id is not null)
        select id from next where id is not null) met
      left join ${sql.table(of.table)} n on n.account_id = ${accountId} and n.id = met.id
      order by name ${direction}, id ${direction} offset 0) names
    cross join lateral ${ofName} found
    order by names.name ${direction}, names.id ${direction}, found.created ${direction}, found.id ${direction}
    limit ${limit} offset ${offset}`.execute(db)
  return rows
}

async function countOf(matching: Matching): Promise<number> {
  const { total } = await matching.clearSelect().select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
  return total
}
