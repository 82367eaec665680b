import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type ItemRow, visibleItems } from './item.ts'
import { unreadItems } from './read-state.ts'
import { searchQuery } from './search-terms.ts'

/** Item filters; missing or empty ones are ignored. */
export interface ItemFilters {
  types?: readonly ItemRow['itemType'][] | undefined
  statuses?: readonly ItemRow['status'][] | undefined
  networks?: readonly string[] | undefined
  /** User ids, `me`, or `none` for unassigned items. */
  assigneeIds?: readonly string[] | undefined
  credentialIds?: readonly string[] | undefined
  tagIds?: readonly string[] | undefined
  q?: string | undefined
  isUnread?: boolean | undefined
}

/** The columns items are counted by. */
const kinds = ['itemType', 'status', 'network', 'assigneeId', 'credentialId'] as const
export type Kinds = { readonly [kind in (typeof kinds)[number]]?: readonly string[] | undefined }

export const kindsOf = ({ userId }: Pick<Context, 'userId'>, filters: ItemFilters): Kinds => ({
  itemType: filters.types,
  status: filters.isUnread ? ['open'] : filters.statuses,
  network: filters.networks,
  assigneeId: filters.assigneeIds?.map((id) => (id === 'me' ? userId : id === 'none' ? '' : id)),
  credentialId: filters.credentialIds,
})

/** Condition on these columns of any source; a single value uses its index in order. */
export function ofKinds(query: Kinds, source = 'inboxItems'): RawBuilder<SqlBool>[] {
  return kinds.flatMap((kind) => {
    const values = query[kind]
    if (!values || values.length === 0) return []
    const column = sql.ref(`${source}.${kind}`)
    return [values.length === 1 ? sql<SqlBool>`${column} = ${values[0]}` : sql<SqlBool>`${column} = any (${values})`]
  })
}

export const allOf = (conditions: readonly RawBuilder<SqlBool>[]) =>
  conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`

/** Up to this many matches the latest are found by sorting all; beyond it by scanning from the latest. */
const few = 5_000
/** Above this estimate nothing is counted: estimates of a single term are rarely wrong by this factor. */
const manyThreshold = 4 * few

export interface ItemCursor {
  lastActivity: Date
  id: string
}

interface Part {
  limit: number
  /** Cursor: only later rows. */
  after?: ItemCursor | undefined
}

interface Found {
  items: ItemRow[]
  /** Exact; for very common terms and tags it is capped. */
  total: number
}

const nothing: Found = { items: [], total: 0 }

/** Items by latest activity. */
export async function searchItems(context: Context, filters: ItemFilters, part: Part): Promise<Found> {
  const { accountId } = context
  const { q = '', tagIds, isUnread } = filters
  const question = q === '' ? undefined : searchQuery(accountId, q)
  if ((q !== '' && !question) || tagIds?.length === 0) return nothing
  const query = { kinds: kindsOf(context, filters), question, tagIds, isUnread: isUnread ?? false }
  const some = question
    ? !(await isCommonTerm(context, question)) && (await fewWithTerms(context, { ...query, question }, part))
    : tagIds && (await fewWithTags(context, { ...query, tagIds }, part))
  if (some) return { items: await inOrder(context, some.ids), total: some.total }
  const [items, total] = await Promise.all([allThrough(context, query, part), countedTotal(context, query.kinds)])
  if (!question && !tagIds && !isUnread) return { items, total }
  return { items, total: items.length < part.limit && !part.after ? items.length : Math.min(total, few) }
}

interface ItemQuery {
  kinds: Kinds
  question: string | undefined
  tagIds: readonly string[] | undefined
  isUnread: boolean
}

interface Few {
  /** How many items have the terms or tags, regardless of other filters. */
  known: number
  total: number
  ids: string[]
}

/** There is no estimate for several terms. */
async function isCommonTerm({ db, accountId }: Context, question: string): Promise<boolean> {
  if (question.includes(' & ')) return false
  const { rows } = await sql<{ items: number }>`
    select chorus_inbox_estimate(${accountId}, ${question}::tsquery) as items`.execute(db)
  return (rows[0]?.items ?? 0) >= manyThreshold
}

/** Undefined if too many have the terms. */
async function fewWithTerms(context: Context, query: ItemQuery & { question: string }, part: Part) {
  const { db, accountId } = context
  const found = sql`chorus_inbox_search(${accountId}, ${query.question}::tsquery, ${few + 1}) f`
  const rest = { ...query, question: undefined }
  if (!query.tagIds && !query.isUnread) return fewOf(context, sql`select item_id as id, f.* from ${found}`, rest, part)
  // The function reads rows itself: joined with account tables, a cluster would have to run it on a node that has no others.
  const { rows } = await sql<{ id: string }>`select item_id as id from ${found}`.execute(db)
  if (rows.length > few) return undefined
  const ids = rows.map(({ id }) => id)
  return fewOf(context, itemsAmong(accountId, sql`${ids}::text[]`), rest, part)
}

async function fewWithTags(context: Context, query: ItemQuery & { tagIds: readonly string[] }, part: Part) {
  const { accountId } = context
  const tagged = sql`select distinct item_id from inbox_item_tags where account_id = ${accountId} and tag_id = any (${query.tagIds}) limit ${few + 1}`
  return fewOf(context, itemsAmong(accountId, sql`array(${tagged})`), { ...query, tagIds: undefined }, part)
}

const itemsAmong = (accountId: string, ids: RawBuilder<unknown>) =>
  sql`select id, status, item_type, network, assignee_id, credential_id, last_activity from inbox_items
    where account_id = ${accountId} and id = any (${ids})`

async function fewOf(context: Context, search: RawBuilder<unknown>, query: ItemQuery, part: Part) {
  const matching = allOf(conditions(context, query, 'known'))
  const { rows } = await sql<Few>`
    with known as materialized (${search}), matching as materialized (select id, last_activity from known where ${matching})
    select (select count(*) from known) as known, (select count(*) from matching) as total, array(
      select id from matching where ${isBehind(part, 'matching')} order by last_activity desc, id desc limit ${part.limit}) as ids`.execute(
    context.db,
  )
  const [found] = rows as [Few]
  return found.known > few ? undefined : found
}

async function inOrder(context: Context, ids: readonly string[]): Promise<ItemRow[]> {
  if (ids.length === 0) return []
  return visibleItems(context).where('id', 'in', ids).orderBy('lastActivity', 'desc').orderBy('id', 'desc').execute()
}

const allThrough = (context: Context, query: ItemQuery, part: Part): Promise<ItemRow[]> =>
  visibleItems(context)
    .where(allOf([...conditions(context, query, 'inboxItems'), isBehind(part, 'inboxItems')]))
    .orderBy('lastActivity', 'desc')
    .orderBy('id', 'desc')
    .limit(part.limit)
    .execute()

type Source = 'inboxItems' | 'known' | 'matching'

function conditions(context: Context, { kinds, question, tagIds, isUnread }: ItemQuery, source: Source) {
  const { accountId } = context
  const id = sql.ref(`${source}.id`)
  const all: RawBuilder<SqlBool>[] = ofKinds(kinds, source)
  if (question) all.push(sql`${sql.ref(`${source}.words`)} @@ ${question}::tsquery`)
  // Checked per item, never for all items with the tags.
  if (tagIds)
    all.push(
      sql`(select true from inbox_item_tags t where t.account_id = ${accountId} and t.item_id = ${id} and t.tag_id = any (${tagIds}) limit 1)`,
    )
  if (isUnread) all.push(unreadItems(context, source))
  return all
}

const isBehind = ({ after }: Part, source: Source): RawBuilder<SqlBool> =>
  after
    ? sql`(${sql.ref(`${source}.lastActivity`)}, ${sql.ref(`${source}.id`)}) < (${after.lastActivity}, ${after.id})`
    : sql`true`

/** Total of items from the counters. */
async function countedTotal({ db, accountId }: Context, kinds: Kinds): Promise<number> {
  const { items } = await db
    .selectFrom('inboxItemCounts')
    .select(sql<number>`coalesce(sum(items), 0)::integer`.as('items'))
    .where('accountId', '=', accountId)
    .where(allOf(ofKinds(kinds, 'inboxItemCounts')))
    .executeTakeFirstOrThrow()
  return items
}
