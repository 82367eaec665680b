import { type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import { visiblePosts } from '#areas/publishing/post/post.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import type { InboxEntries } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { inboxIds } from '../declarations.ts'
import { type ItemRow, requireItem } from './item.ts'

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
export const addOwnEntries = (context: Context, items: readonly ItemRef[], action: UserAction) =>
  addEachEntry(
    context,
    items.map((item) => ({ item, ...action })),
  )

/** The same with different details per item. */
export async function addEachEntry(
  context: Context,
  actions: readonly (UserAction & { item: ItemRef })[],
): Promise<string[]> {
  if (actions.length === 0) return []
  const { db, accountId, userId, now } = context
  const entries = actions.map(({ item: { id: itemId, credentialId }, details = {}, ...action }) => ({
    accountId,
    id: newId(inboxIds.inboxEntry, now),
    itemId,
    credentialId,
    created: now,
    isOwn: true,
    createdBy: userId,
    details: JSON.stringify(details),
    ...action,
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

interface TimelinePage {
  id: string
  /** Cursor: the last loaded entry; older ones follow. */
  lastLoadedId?: string | undefined
}

/** Timeline of an item, newest first. */
async function timelineOf(context: Context, { id, lastLoadedId }: TimelinePage): Promise<EntryRow[]> {
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

export async function listEntries(context: Context, page: TimelinePage) {
  const entries = await timelineOf(context, page)
  return { timeline: entries.map(({ createdBy, ...entry }) => ({ ...entry, ...(createdBy && { createdBy }) })) }
}

export async function listFullEntries(context: Context, page: TimelinePage) {
  const entries = await timelineOf(context, page)
  const timeline = entries.map(({ createdBy, remoteId, parentRemoteId, media, ...entry }) => ({
    ...entry,
    createdBy: createdBy || null,
    commentId: remoteId,
    parentCommentId: parentRemoteId,
    media: media as string[],
  }))
  return { timeline, isWhole: entries.length < atOnce }
}

/** The contract has no pagination here. */
export const mostComments = 1000

interface CommentFilters {
  postlogId?: string | undefined
  network?: readonly string[] | undefined
  _count?: number | undefined
}

interface Comment {
  profileName: string
  date: Date
  commentText: string
  commentId: string
  activityId: string
  network: string
  /** Empty if it isn't under a post of the account. */
  postlogId: string
}

/** Public comments, replies and mentions of others, newest first. */
export async function listComments(context: Context, { postlogId = '', network = [], _count }: CommentFilters) {
  const { db, accountId } = context
  const limit = _count ?? mostComments
  if (postlogId !== '' && !(await isPostVisible(context, postlogId))) return { data: [] }
  const itemsWanted: RawBuilder<SqlBool>[] = [sql`i.account_id = ${accountId}`]
  if (postlogId !== '') itemsWanted.push(sql`i.postlog_id = ${postlogId}`)
  if (network.length > 0) itemsWanted.push(sql`i.network = any (${network})`)
  const [ofItems, ofEntries] = [sql.join(itemsWanted, sql` and `), isComment(accountId)]
  const shown = sql`coalesce(nullif(e.person_name, ''), e.person_username) as profile_name, e.created as date, e.content as comment_text,
    e.remote_id as comment_id, i.post_remote_id as activity_id, i.network, coalesce(i.postlog_id, '') as postlog_id`
  // For one post by its items, otherwise newest first.
  const found =
    postlogId === ''
      ? sql<Comment>`select ${shown} from inbox_entries e join inbox_items i on i.account_id = ${accountId} and i.id = e.item_id and ${ofItems}
          where ${ofEntries} order by e.created desc, e.id desc limit ${limit}`
      : sql<Comment>`select ${shown} from inbox_items i join inbox_entries e on e.account_id = ${accountId} and e.item_id = i.id and ${ofEntries}
          where ${ofItems} order by e.created desc, e.id desc limit ${limit}`
  const { rows } = await found.execute(db)
  return { data: rows }
}

/** Posts in campaigns the caller can't see aren't found by their id. */
async function isPostVisible(context: Context, id: string): Promise<boolean> {
  const { db, accountId } = context
  const postlog = await db
    .selectFrom('postlogs')
    .select('postId')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return (
    postlog !== undefined &&
    (await visiblePosts(context).where('id', '=', postlog.postId).executeTakeFirst()) !== undefined
  )
}

/** Must match the expression of the index. */
const isComment = (accountId: string) =>
  sql`e.account_id = ${accountId} and e.type in ('comment', 'reply') and not e.is_own and e.removed is null`
