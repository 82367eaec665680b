import { type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { requireItem } from '../item/item-row.ts'
import type { EntryRow } from './entry.ts'

const atOnce = 25

interface Wish {
  id: string
  /** The last entry that was loaded: what came before it follows. */
  lastLoadedId?: string | undefined
}

/** What was said and done in an item, the latest first. */
export async function timelineOf(context: Context, { id, lastLoadedId }: Wish): Promise<EntryRow[]> {
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
