import type { Context } from '#kernel/context.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { streamChanges, streamIds } from './declarations.ts'

/** Tabs and streams are visible to the whole account. */
export const notifyTabChanged = ({ hint }: Context, id: string) =>
  hint({ kind: streamChanges.streamTab, id, parent: null, scope: null })

/** Call after changing a stream, its items or its error. */
export const notifyStreamChanged = ({ hint }: Context, { id, streamTabId }: { id: string; streamTabId: string }) =>
  hint({ kind: streamChanges.stream, id, parent: streamTabId, scope: null })

export const watchedStreamTabs: Watched = {
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

export const watchedStreams: Watched = {
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
