import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import { streamIds, streamQuotas } from '../declarations.ts'
import { removeStreams } from '../stream/stream-removal.ts'
import { notifyTabChanged } from '../stream-changes.ts'
import { type StreamTabChanges, type StreamTabDraft, streamTabColumns } from './stream-tab-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const tab = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!tab) throw missing('Stream tab')
  return tab
}

export const search = (context: Context, { page }: { page: OpenPage }) =>
  paginateOrAll(context.db, visible(context), page, { size: 500 })

export async function create(context: Context, draft: StreamTabDraft) {
  const { db, accountId, userId, now } = context
  const made = { accountId, id: newId(streamIds.streamTab, now), created: now, modified: now, createdBy: userId }
  const insert = db
    .insertInto('streamTabs')
    .values({ ...made, ...draft })
    .returning(streamTabColumns)
  const tab = await insertWithin(context, streamQuotas.streamTabs, () => visible(context), insert)
  notifyTabChanged(context, tab.id)
  return tab
}

export async function update(context: Context, { id, ...changes }: StreamTabChanges) {
  const { db, accountId, now } = context
  const tab = await db
    .updateTable('streamTabs')
    .set({ ...changes, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returning(streamTabColumns)
    .executeTakeFirst()
  if (!tab) throw missing('Stream tab')
  notifyTabChanged(context, id)
  return tab
}

/** Deletes its streams too. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  // Locked, so that no stream is added meanwhile.
  const tab = await visible(context).where('id', '=', id).modifyEnd(lockRows('streamTabs', 'update')).executeTakeFirst()
  if (!tab) throw missing('Stream tab')
  await removeStreams(context, { streamTabId: id })
  await db.deleteFrom('streamTabs').where('accountId', '=', accountId).where('id', '=', id).execute()
  notifyTabChanged(context, id)
}

/** Locks the tab of a new stream: additions are serialized, so that each gets the next position. */
export async function holdNamedTab(context: Context, id: string) {
  const tab = await visible(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('streamTabs', 'no key update'))
    .executeTakeFirst()
  if (!tab) throw invalid(`streamTabId names no stream tab: "${id.slice(0, 40)}".`)
}

/** Tabs are shared by the account. */
const visible = ({ db, accountId }: Context) =>
  db.selectFrom('streamTabs').select(streamTabColumns).where('accountId', '=', accountId)
