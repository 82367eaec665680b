import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import type { InboxEntries } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { inboxIds } from '../declarations.ts'
import { type ItemRow, requireItem } from '../item/item-row.ts'

export type EntryRow = Selectable<InboxEntries>

/** What one of us did with an item. */
interface Doing
  extends Pick<EntryRow, 'type'>,
    Partial<Pick<Insertable<InboxEntries>, 'content' | 'media' | 'replyId' | 'parentRemoteId'>> {
  /** As the table keeps it: from which status to which, whose it became, which tags. */
  details?: object
}

type Place = Pick<ItemRow, 'id' | 'credentialId'>

/** Writes down what the caller did with items they hold, one entry each; gives the entries' ids in the order of the items. */
export const addOwnEntries = (context: Context, items: readonly Place[], doing: Doing) =>
  addEachEntry(
    context,
    items.map((item) => ({ item, ...doing })),
  )

/** The same where it is something else in each of them. */
export async function addEachEntry(context: Context, doings: readonly (Doing & { item: Place })[]): Promise<string[]> {
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

/** Items that are held have so many entries more, each as often as it is named. */
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
  /** The last entry that was loaded: what came before it follows. */
  lastLoadedId?: string | undefined
}

/** What was said and done in an item, the latest first. */
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

/** As the contract tells it. */
export async function list(context: Context, wish: Wish) {
  const entries = await timelineOf(context, wish)
  return { timeline: entries.map(({ createdBy, ...entry }) => ({ ...entry, ...(createdBy && { createdBy }) })) }
}

/** As the console shows it. */
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
