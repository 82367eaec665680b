import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { ChangeKind } from '#kernel/changes/change-notification.ts'
import type { Context } from '#kernel/context.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { forbidden, invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertLastWithin } from '#kernel/quotas/quotas.ts'
import { mediaChanges, mediaIds, mediaQuotas } from '../declarations.ts'
import type { FolderChanges, FolderDraft } from './folder-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const folder = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!folder) throw missing('Folder')
  return folder
}

interface Search {
  folderId?: string | undefined
  q?: string | undefined
  orderBy?: 'name' | 'created' | undefined
  orderDir?: 'asc' | 'desc' | undefined
  page: Page
}

/** Direct subfolders of a folder, or of the root. */
export async function search(context: Context, { folderId = '', q = '', orderBy, orderDir, page }: Search) {
  if (folderId) await requireFolder(context, folderId)
  const matching = visible(context)
    .$if(folderId === '', (rows) => rows.where('folderId', 'is', null))
    .$if(folderId !== '', (rows) => rows.where('folderId', '=', folderId))
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
  return paginate(matching, { ...page, order: ordered(page.order, orderBy, orderDir) })
}

/** Every folder, for the tree; limited to a sensible maximum. */
export async function all(context: Context) {
  const items = await visible(context).orderBy('created').orderBy('id').limit(maximumFolders).execute()
  return { items, total: items.length }
}

const maximumFolders = 5_000

function ordered(usual: Page['order'], by: Search['orderBy'], direction: Search['orderDir']): Page['order'] {
  if (!by && !direction) return usual
  const column = by ?? usual.column
  const kind = column === 'name' ? 'text' : 'date'
  return { column, kind, ascending: direction ? direction === 'asc' : kind === 'text' }
}

export async function create(context: Context, { folderId = '', ...draft }: FolderDraft) {
  const { accountId, userId, now } = context
  await requireLibrary(context)
  if (folderId) await requireFolder(context, folderId)
  const id = newId(mediaIds.mediaFolder, now)
  const row = { accountId, id, created: now, modified: now, createdBy: userId, ...draft, folderId: folderId || null }
  notifyFoldersChanged(context, [row])
  return insertLastWithin(context, mediaQuotas.folders, () => visible(context), { into: 'mediaFolders', row })
}

export async function update(context: Context, { id, ...changes }: FolderChanges) {
  const { db, accountId, now } = context
  await requireLibrary(context)
  const folder = await db
    .updateTable('mediaFolders')
    .set({ ...changes, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!folder) throw missing('Folder')
  notifyFoldersChanged(context, [folder])
  return folder
}

/** Rejects a missing folder given by a parameter. */
export async function requireFolder(context: Context, id: string) {
  const folder = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!folder) throw invalid(`folderId names no folder: "${id.slice(0, 40)}".`)
}

/** Managing folders requires the media library permission. */
export async function requireLibrary({ db, accountId, userId }: Context) {
  const user = await db
    .selectFrom('users')
    .select('mediaLibrary')
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!user?.mediaLibrary)
    throw forbidden('Managing folders needs the media library permission, which this user does not have.')
}

export const visible = ({ db, accountId }: Context) =>
  db.selectFrom('mediaFolders').selectAll().where('accountId', '=', accountId)

export interface InFolder {
  id: string
  folderId: string | null
}

/** Call after creating, changing or deleting folders. */
export const notifyFoldersChanged = (context: Context, folders: readonly InFolder[]) =>
  notifyInFolder(context, mediaChanges.mediaFolder, folders)

/** For folders and assets: they appear in the list of their folder. */
export function notifyInFolder({ notifyChange }: Context, kind: ChangeKind, items: readonly InFolder[]) {
  for (const { id, folderId } of items) notifyChange({ kind, id, parent: folderId, scope: null })
}

export const watchedIn = (kind: 'media' | 'mediaFolder', table: 'media' | 'mediaFolders'): PresenceKind => ({
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

export const watchedFolders = watchedIn('mediaFolder', 'mediaFolders')
