import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import type { InboxEntries } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { inboxIds } from '../declarations.ts'
import { type ItemRow, requireItem } from '../item/item.ts'

export type EntryRow = Selectable<InboxEntries>

/** An action of a user on an item. */
interface UserAction
  extends Pick<EntryRow, 'type'>,
    Partial<Pick<Insertable<InboxEntries>, 'content' | 'media' | 'replyId' | 'parentRemoteId'>> {
  /** As stored: old and new status, assignee, or tags. */
  details?: object
}

type ItemRef = Pick<ItemRow, 'id' | 'credentialId'>

/** Adds timeline entries for an action on locked items; returns the entry ids in the order of the items. */
export const addOwnEntries = (context: Context, items: readonly ItemRef[], doing: UserAction) =>
  addEachEntry(
    context,
    items.map((item) => ({ item, ...doing })),
  )

/** The same with different details per item. */
export async function addEachEntry(
  context: Context,
  doings: readonly (UserAction & { item: ItemRef })[],
): Promise<string[]> {
  if (doings.length === 0) return []
  const { db, accountId, userId, now } = context
  const entries = doings.map(({ item: { id: itemId, credentialId }, details = {}, ...doing }) => ({
    accountId,
    id: newId(inboxIds.inboxEntry, now),
    itemId,
    credentialId,
    created: now,
    isOwn: true,
    createdBy: userId,
    details: JSON.stringify(details),
    ...doing,
  }))
  await db.insertInto('inboxEntries').values(entries).execute()
  await countEntries(
    context,
    entries.map(({ itemId }) => itemId),
    1,
  )
  return entries.map(({ id }) => id)
}

/** Increments the entry counts of locked items, once per mention. */
export async function countEntries({ db, accountId }: Context, itemIds: readonly string[], more: 1 | -1) {
  if (itemIds.length === 0) return
  const counting = sql`
    update inbox_items i set entries = i.entries + n.more
    from (select id, count(*)::int * ${more}::int as more from unnest(${itemIds}::text[]) as t (id) group by id) n
    where i.account_id = ${accountId} and i.id = n.id`
  await later(db, counting)
}

const atOnce = 25

interface Wish {
  id: string
  /** Cursor: the last loaded entry; older ones follow. */
  lastLoadedId?: string | undefined
}

/** Timeline of an item, newest first. */
async function timelineOf(context: Context, { id, lastLoadedId }: Wish): Promise<EntryRow[]> {
  const { db, accountId } = context
  await requireItem(context, id)
  const entries = () =>
    db.selectFrom('inboxEntries').selectAll().where('accountId', '=', accountId).where('itemId', '=', id)
  const last = lastLoadedId ? await entries().where('id', '=', lastLoadedId).executeTakeFirst() : undefined
  if (lastLoadedId && !last)
    throw invalid(`last_loaded_id names no entry of this timeline: "${lastLoadedId.slice(0, 40)}".`)
  return entries()
    .$if(last !== undefined, (some) =>
      some.where(sql<SqlBool>`(created, id) < (
        select l.created, l.id from inbox_entries l where l.account_id = ${accountId} and l.id = ${last?.id})`),
    )
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(atOnce)
    .execute()
}

export async function list(context: Context, wish: Wish) {
  const entries = await timelineOf(context, wish)
  return { timeline: entries.map(({ createdBy, ...entry }) => ({ ...entry, ...(createdBy && { createdBy }) })) }
}

export async function listFully(context: Context, wish: Wish) {
  const entries = await timelineOf(context, wish)
  const timeline = entries.map(({ createdBy, remoteId, parentRemoteId, media, ...entry }) => ({
    ...entry,
    createdBy: createdBy || null,
    commentId: remoteId,
    parentCommentId: parentRemoteId,
    media: media as string[],
  }))
  return { timeline, isWhole: entries.length < atOnce }
}
