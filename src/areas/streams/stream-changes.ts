import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { streamChanges, streamIds } from './declarations.ts'

/** Tabs and streams are visible to the whole account. */
export const notifyTabChanged = ({ notifyChange }: Context, id: string) =>
  notifyChange({ kind: streamChanges.streamTab, id, parent: null, scope: null })

/** Call after changing a stream, its items or its error. */
export const notifyStreamChanged = (
  { notifyChange }: Context,
  { id, streamTabId }: { id: string; streamTabId: string },
) => notifyChange({ kind: streamChanges.stream, id, parent: streamTabId, scope: null })

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

export const watchedStreams: PresenceKind = {
  kind: streamChanges.stream,
  reference: streamIds.stream,
  async find({ db, accountId }, id) {
    const stream = await db
      .selectFrom('streams')
      .select('streamTabId')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst()
    return stream && { parent: stream.streamTabId, scope: null }
  },
}
