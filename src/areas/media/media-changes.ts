import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { ChangeKind } from '#kernel/changes/change-notification.ts'
import type { Context } from '#kernel/context.ts'
import { mediaChanges, mediaIds } from './declarations.ts'

interface InFolder {
  id: string
  folderId: string | null
}

/** Call after creating, changing, moving or deleting assets. */
export const notifyMediaChanged = (context: Context, assets: readonly InFolder[]) =>
  notifyAllChanged(context, mediaChanges.media, assets)

/** The same for folders. */
export const notifyFoldersChanged = (context: Context, folders: readonly InFolder[]) =>
  notifyAllChanged(context, mediaChanges.mediaFolder, folders)

function notifyAllChanged({ notifyChange }: Context, kind: ChangeKind, things: readonly InFolder[]) {
  for (const { id, folderId } of things) notifyChange({ kind, id, parent: folderId, scope: null })
}

const watchedIn = (kind: 'media' | 'mediaFolder', table: 'media' | 'mediaFolders'): PresenceKind => ({
  kind: mediaChanges[kind],
  reference: mediaIds[kind],
  async find({ db, accountId }, id) {
    const found = await db
      .selectFrom(table)
      .select('folderId')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst()
    return found && { parent: found.folderId, scope: null }
  },
})

export const watchedMedia = watchedIn('media', 'media')
export const watchedFolders = watchedIn('mediaFolder', 'mediaFolders')
