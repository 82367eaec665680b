import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { InboxViews } from '#kernel/database/tables.ts'
import { forbidden, invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { may } from '#kernel/permissions.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import { inboxIds, inboxQuotas } from '../declarations.ts'
import { allOf, type ItemFilters, kindsOf, ofKinds, searchItems } from '../item/item-search.ts'
import { unreadItems } from '../item/read-state.ts'
import { searchQuery } from '../item/search-terms.ts'
import type { ViewChanges, ViewDraft } from './view-shape.ts'

/** Limit of own views, and of views shared by others. */
const mostOwn = 50
const mostShared = 100

const standard = (id: string, name: string, filters: ItemFilters): View => ({
  id,
  name,
  isStandard: true,
  isShared: true,
  createdBy: null,
  filters,
})

/** Available to everyone. */
const standardViews: readonly View[] = [
  standard('mine', 'Mine', { statuses: ['open'], assigneeIds: ['me'] }),
  standard('unassigned', 'Unassigned', { statuses: ['open'], assigneeIds: ['none'] }),
  standard('open', 'All open', { statuses: ['open'] }),
  standard('closed', 'Closed', { statuses: ['closed'] }),
]

/** Standard views, own views in the user's order, then views shared by others. */
export async function list(context: Context) {
  const [own, shared] = await Promise.all([
    ownViews(context).orderBy('position').orderBy('id').limit(mostOwn).execute(),
    allViews(context)
      .where(sql<SqlBool>`is_shared`)
      .where('createdBy', '<>', context.userId)
      .orderBy('created')
      .orderBy('id')
      .limit(mostShared)
      .execute(),
  ])
  return { items: await countViews(context, [...standardViews, ...[...own, ...shared].map(shown)]) }
}

/** Filters of a view visible to the caller. */
export async function filtersOf(context: Context, id: string): Promise<ItemFilters> {
  const view = standardViews.find((one) => one.id === id) ?? shown(await requireView(context, id))
  return view.filters
}

export async function create(context: Context, { name, isShared = false, filters = {} }: ViewDraft) {
  const { accountId, userId, now } = context
  const own = await ownViews(context).select('position').orderBy('position').limit(mostOwn).execute()
  if (own.length === mostOwn) throw invalid(`You have ${mostOwn} views. Delete one that you do not need.`)
  const id = newId(inboxIds.inboxView, now)
  const position = (own.at(-1)?.position ?? 0) + 1
  const made = { accountId, id, created: now, modified: now, createdBy: userId, name, isShared, position }
  const row = { ...made, filters: JSON.stringify(filters) }
  return shown(
    await insertWithin(context, inboxQuotas.inboxViews, () => allViews(context), { into: 'inboxViews', row }),
  )
}

export async function update(context: Context, { id, filters, ...changes }: ViewChanges) {
  const { db, accountId, now: modified } = context
  await requireChangeable(context, id)
  const view = await db
    .updateTable('inboxViews')
    .set({ ...changes, ...(filters && { filters: JSON.stringify(filters) }), modified })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!view) throw missing('View')
  return shown(view)
}

export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  await requireChangeable(context, id)
  await db.deleteFrom('inboxViews').where('accountId', '=', accountId).where('id', '=', id).execute()
}

/** Reorders the caller's own views; missing ones go last. */
export async function order(context: Context, { ids }: { ids: readonly string[] }) {
  const { db, accountId, userId, about } = context
  about({ id: userId, count: ids.length })
  const own = await ownViews(context).orderBy('position').orderBy('id').execute()
  const unknownId = ids.find((id) => !own.some((view) => view.id === id))
  if (unknownId !== undefined) throw invalid(`ids names no view of yours: "${unknownId.slice(0, 40)}".`)
  const rest = own.map(({ id }) => id).filter((id) => !ids.includes(id))
  for (const [position, id] of [...ids, ...rest].entries())
    await db
      .updateTable('inboxViews')
      .set({ position })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .execute()
}

const allViews = ({ db, accountId }: Context) =>
  db.selectFrom('inboxViews').selectAll().where('inboxViews.accountId', '=', accountId)

const ownViews = (context: Context) => allViews(context).where('createdBy', '=', context.userId)

async function requireView(context: Context, id: string) {
  const view = await allViews(context)
    .where('id', '=', id)
    .where((view) => view.or([view('isShared', '=', true), view('createdBy', '=', context.userId)]))
    .executeTakeFirst()
  if (!view) throw missing('View')
  return view
}

/** Own views; shared ones can also be changed by users who may approve content. */
async function requireChangeable(context: Context, id: string) {
  const view = await requireView(context, id)
  if (view.createdBy !== context.userId && !may(context.role, 'approve'))
    throw forbidden('This view was shared by somebody else. Ask them, a publisher or an admin to change it.')
}

const shown = ({ id, name, isShared, createdBy, filters }: Selectable<InboxViews>): View => ({
  id,
  name,
  isStandard: false,
  isShared,
  createdBy,
  filters: filters as ItemFilters,
})

interface View {
  id: string
  name: string
  isStandard: boolean
  isShared: boolean
  createdBy: string | null
  filters: ItemFilters
}

/** How many of the latest open items are checked for unread ones; also the cap of each count. */
const maximumChecked = 5_000
const maximumCount = 1_000

/** Counts of each view, total and unread. */
async function countViews(context: Context, views: readonly View[]) {
  const [totals, unread] = await Promise.all([totalsOf(context, views), unreadOf(context, views)])
  return views.map((view, at) => {
    const number = unread.numbers[at] ?? 0
    const unreadIsMore = number > maximumCount || (number > 0 && unread.isCut)
    return { ...view, total: totals[at] ?? 0, unread: Math.min(number, maximumCount), unreadIsMore }
  })
}

/** From the counters in one query; terms, tags and unread items are queried. */
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
  const { rows } = await sql<{ numbers: number[]; checked: number }>`
    with latest as materialized (
      select id, status, item_type, network, assignee_id, credential_id, last_activity, words from inbox_items
      where account_id = ${accountId} and status = 'open' order by last_activity desc, id desc limit ${maximumChecked}),
    unread as materialized (select * from latest where ${unreadItems(context, 'latest')})
    select array[${sql.join(numbers)}] as numbers, (select count(*) from latest) as checked from unread`.execute(db)
  const { numbers: found = [], checked = 0 } = rows[0] ?? {}
  return { numbers: found, isCut: checked === maximumChecked }
}

function unreadIn(context: Context, filters: ItemFilters) {
  const { accountId } = context
  const { q = '', tagIds = [] } = filters
  const question = searchQuery(accountId, q)
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
