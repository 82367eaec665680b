import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import { streamChanges, streamIds, streamQuotas } from '../declarations.ts'
import { removeStreams } from './stream.ts'
import { type StreamTabChanges, type StreamTabDraft, streamTabColumns } from './stream-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const tab = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!tab) throw missing('Stream tab')
  return tab
}

export const search = (context: Context, { page }: { page: OpenPage }) =>
  paginateOrAll(context.db, visible(context), page, { size: 500 })

export async function create(context: Context, draft: StreamTabDraft) {
  const { accountId, userId, now } = context
  const made = { accountId, id: newId(streamIds.streamTab, now), created: now, modified: now, createdBy: userId }
  const row = { ...made, ...draft }
  const tab = await insertWithin(context, streamQuotas.streamTabs, () => visible(context), { into: 'streamTabs', row })
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

/** Tabs are shared by the account. */
const visible = ({ db, accountId }: Context) =>
  db.selectFrom('streamTabs').select(streamTabColumns).where('accountId', '=', accountId)

const notifyTabChanged = ({ notifyChange }: Context, id: string) =>
  notifyChange({ kind: streamChanges.streamTab, id, parent: null, scope: null })

export const watchedStreamTabs: PresenceKind = {
  kind: streamChanges.streamTab,
  reference: streamIds.streamTab,
  async find({ db, accountId }, id) {
    const tab = await db
      .selectFrom('streamTabs')
      .select('id')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst()
    return tab && { parent: null, scope: null }
  },
}
