import type { Context } from '#kernel/context.ts'
import type { ChangeKind } from '#kernel/hints/hint.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { mediaChanges, mediaIds } from './declarations.ts'

interface InFolder {
  id: string
  folderId: string | null
}

/** Call after creating, changing, moving or deleting assets. */
export const notifyMediaChanged = (context: Context, assets: readonly InFolder[]) =>
  hintAll(context, mediaChanges.media, assets)

/** The same for folders. */
export const notifyFoldersChanged = (context: Context, folders: readonly InFolder[]) =>
  hintAll(context, mediaChanges.mediaFolder, folders)

function hintAll({ hint }: Context, kind: ChangeKind, things: readonly InFolder[]) {
  for (const { id, folderId } of things) hint({ kind, id, parent: folderId, scope: null })
}

const watchedIn = (kind: 'media' | 'mediaFolder', table: 'media' | 'mediaFolders'): Watched => ({
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
