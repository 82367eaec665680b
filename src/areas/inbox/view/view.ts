import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { InboxViews } from '#kernel/database/tables.ts'
import { forbidden, invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { may } from '#kernel/permissions.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import type { ItemFilters } from '../item/item-filter.ts'
import { countViews, type View } from './view-count.ts'
import type { ViewChanges, ViewDraft } from './view-shape.ts'

/** More of one's own, and of others' that are shared, are not shown. */
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

/** What everybody has. */
const standardViews: readonly View[] = [
  standard('mine', 'Mine', { statuses: ['open'], assigneeIds: ['me'] }),
  standard('unassigned', 'Unassigned', { statuses: ['open'], assigneeIds: ['none'] }),
  standard('open', 'All open', { statuses: ['open'] }),
  standard('closed', 'Closed', { statuses: ['closed'] }),
]

/** The standard ones, one's own in one's own order, then those that others share. */
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

/** The filters of a view that the caller sees. */
export async function filtersOf(context: Context, id: string): Promise<ItemFilters> {
  const view = standardViews.find((one) => one.id === id) ?? shown(await requireView(context, id))
  return view.filters
}

export async function create(context: Context, { name, isShared = false, filters = {} }: ViewDraft) {
  const { db, accountId, userId, now } = context
  const own = await ownViews(context).select('position').orderBy('position').limit(mostOwn).execute()
  if (own.length === mostOwn) throw invalid(`You have ${mostOwn} views. Delete one that you do not need.`)
  const id = newId('inboxView', now)
  const position = (own.at(-1)?.position ?? 0) + 1
  const made = { accountId, id, created: now, modified: now, createdBy: userId, name, isShared, position }
  const insert = db
    .insertInto('inboxViews')
    .values({ ...made, filters: JSON.stringify(filters) })
    .returningAll()
  return shown(await insertWithin(context, 'inboxViews', () => allViews(context), insert))
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

/** Puts the caller's own views into this order; those that are not named come behind. */
export async function order(context: Context, { ids }: { ids: readonly string[] }) {
  const { db, accountId, userId, about } = context
  about({ id: userId, count: ids.length })
  const own = await ownViews(context).orderBy('position').orderBy('id').execute()
  const stranger = ids.find((id) => !own.some((view) => view.id === id))
  if (stranger !== undefined) throw invalid(`ids names no view of yours: "${stranger.slice(0, 40)}".`)
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

/** One's own; what is shared belongs to all, and who approves content keeps it in order. */
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
