import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { allOf, type ItemFilters, kindsOf, ofKinds } from '../item/item-filter.ts'
import { searchItems } from '../item/item-search.ts'
import { searchedWords } from '../item/words.ts'
import { unreadItems } from './unread.ts'

export interface View {
  id: string
  name: string
  isStandard: boolean
  isShared: boolean
  createdBy: string | null
  filters: ItemFilters
}

/** So many of the open items, the latest ones, are asked whether they are unread; and of no view more than so many are told. */
const mostAsked = 5_000
const mostTold = 1_000

/** What is in each view, and how much of it the caller has not read. */
export async function countViews(context: Context, views: readonly View[]) {
  const [totals, unread] = await Promise.all([totalsOf(context, views), unreadOf(context, views)])
  return views.map((view, at) => {
    const number = unread.numbers[at] ?? 0
    const unreadIsMore = number > mostTold || (number > 0 && unread.isCut)
    return { ...view, total: totals[at] ?? 0, unread: Math.min(number, mostTold), unreadIsMore }
  })
}

/** Out of the numbers that are kept, all at once; words, tags and what is unread are looked for. */
async function totalsOf(context: Context, views: readonly View[]): Promise<number[]> {
  const { db, accountId } = context
  const sums = views.map(({ filters }) =>
    isOfKinds(filters)
      ? sql`coalesce(sum(items) filter (where ${allOf(ofKinds(kindsOf(context, filters), 'inboxItemCounts'))}), 0)::integer`
      : sql`0`,
  )
  const { rows } = await sql<{ totals: number[] }>`
    select array[${sql.join(sums)}]::integer[] as totals from inbox_item_counts where account_id = ${accountId}`.execute(
    db,
  )
  const totals = rows[0]?.totals ?? []
  for (const [at, { filters }] of views.entries())
    if (!isOfKinds(filters)) totals[at] = (await searchItems(context, filters, { limit: 1 })).total
  return totals
}

async function unreadOf(context: Context, views: readonly View[]) {
  const { db, accountId } = context
  const numbers = views.map(({ filters }) => sql`count(*) filter (where ${allOf(unreadIn(context, filters))})::integer`)
  const { rows } = await sql<{ numbers: number[]; asked: number }>`
    with latest as materialized (
      select id, status, item_type, network, assignee_id, credential_id, last_activity, words from inbox_items
      where account_id = ${accountId} and status = 'open' order by last_activity desc, id desc limit ${mostAsked}),
    unread as materialized (select * from latest where ${unreadItems(context, 'latest')})
    select array[${sql.join(numbers)}] as numbers, (select count(*) from latest) as asked from unread`.execute(db)
  const { numbers: found = [], asked = 0 } = rows[0] ?? {}
  return { numbers: found, isCut: asked === mostAsked }
}

function unreadIn(context: Context, filters: ItemFilters) {
  const { accountId } = context
  const { q = '', tagIds = [] } = filters
  const question = searchedWords(accountId, q)
  return [
    ...ofKinds(kindsOf(context, filters), 'unread'),
    ...(question ? [sql<boolean>`words @@ ${question}::tsquery`] : q === '' ? [] : [sql<boolean>`false`]),
    ...(tagIds.length === 0
      ? []
      : [
          sql<boolean>`(select true from inbox_item_tags t where t.account_id = ${accountId} and t.item_id = unread.id and t.tag_id = any (${tagIds}) limit 1)`,
        ]),
  ]
}

const isOfKinds = ({ q = '', tagIds = [], isUnread }: ItemFilters) => q === '' && tagIds.length === 0 && !isUnread
