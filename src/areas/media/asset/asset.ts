import { type Selectable, sql } from 'kysely'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import type { Media } from '#kernel/database/tables.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { videoProblemsOn } from '#networks/content/content-check.ts'
import type { VideoFacts } from '#networks/content/media-check.ts'
import type { Network } from '#networks/manifests.ts'
import { mediaChanges } from '../declarations.ts'
import { dropUses, fileUrl } from '../file/stored-file.ts'
import {
  type InFolder,
  notifyFoldersChanged,
  notifyInFolder,
  requireFolder,
  requireLibrary,
  visible as visibleFolders,
  watchedIn,
} from '../folder/folder.ts'
import { dropRenditions } from '../rendition/rendition.ts'
import type { MediaChanges, MediaType } from './asset-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const asset = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!asset) throw missing('Media')
  return shown(context, asset)
}

interface Filters {
  q?: string | undefined
  type?: MediaType | undefined
  /** Empty for the root; undefined for all. */
  folderId?: string | undefined
}

export async function search(context: Context, { page, ...filters }: Filters & { page: Page }) {
  if (filters.folderId) await requireFolder(context, filters.folderId)
  const { items, total } = await paginate(matching(context, filters), page)
  return { items: items.map((asset) => shown(context, asset)), total }
}

interface LibrarySearch extends Filters {
  id?: string | undefined
  /** Only assets without scheduled uses. */
  unused?: boolean | undefined
  page: Page
}

/** Assets with their dimensions, for network rules, the number of scheduled uses, and the URL of the stored file. */
export async function listLibrary(context: Context, { id = '', unused = false, page, ...filters }: LibrarySearch) {
  if (filters.folderId) await requireFolder(context, filters.folderId)
  const holds = sql`media_references h where h.account_id = ${context.accountId} and h.media_id = media.id`
  const found = matching(context, filters)
    .select(sql<number>`(select count(*) from ${holds})`.as('uses'))
    .$if(id !== '', (rows) => rows.where('id', '=', id))
    // A correlated subquery in list order: an anti-join would read and sort all assets of the account for one page.
    .$if(unused, (rows) => rows.where(sql<boolean>`(select 1 from ${holds} limit 1) is null`))
  const { items, total } = await paginate(found, page)
  return {
    items: items.map((asset) => ({ ...shown(context, asset), uses: asset.uses, address: fileUrl('', asset) })),
    total,
  }
}

const matching = (context: Context, { q = '', type, folderId }: Filters) =>
  visible(context)
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
    .$if(type !== undefined, (rows) => rows.where('type', '=', type as MediaType))
    .$if(folderId === '', (rows) => rows.where('folderId', 'is', null))
    .$if(Boolean(folderId), (rows) => rows.where('folderId', '=', folderId as string))

const visible = ({ db, accountId }: Context) => db.selectFrom('media').selectAll().where('accountId', '=', accountId)

/** Adds URLs to an asset's row; videos have no thumbnail. */
export function shown(context: Pick<Context, 'publicUrl'>, asset: Selectable<Media>) {
  const resource = asset.type === 'ImageUrl' ? asset.source : fileUrl(context.publicUrl, asset)
  return { ...asset, resource, videoId: null, videoPreview: null }
}

/** Omitted fields stay unchanged; an empty folder is the root. */
export async function update(context: Context, { id, folderId, ...changes }: MediaChanges) {
  const { db, accountId, userId, now } = context
  if (folderId) await requireFolder(context, folderId)
  const folder = folderId !== undefined && { folderId: folderId || null }
  const asset = await db
    .updateTable('media')
    .set({ ...changes, ...folder, modified: now, modifiedBy: userId })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!asset) throw missing('Media')
  notifyMediaChanged(context, [asset])
  return shown(context, asset)
}

export const remove = (context: Context, { id }: { id: string }) => removeAssets(context, [id])

/** Deletes a folder with all contents; an asset in use blocks everything. */
export async function removeFolder(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  await requireLibrary(context)
  // Locked, so that a concurrent deletion finds nothing.
  const folder = await visibleFolders(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('mediaFolders', 'update'))
    .executeTakeFirst()
  if (!folder) throw missing('Folder')
  const { rows } = await sql<{ id: string; folderId: string | null; depth: number }>`
    with recursive tree as (
      select id, folder_id, 0 as depth from media_folders where account_id = ${accountId} and id = ${id}
      union all select f.id, f.folder_id, t.depth + 1 from media_folders f join tree t on f.folder_id = t.id where f.account_id = ${accountId})
    select id, folder_id, depth from tree order by depth desc`.execute(db)
  const folders = rows.map((row) => row.id)
  const assets = await db
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where('folderId', 'in', folders)
    .execute()
  context.about({ count: folders.length + assets.length })
  await removeAssets(
    context,
    assets.map((asset) => asset.id),
  )
  await db.deleteFrom('mediaFolders').where('accountId', '=', accountId).where('id', 'in', folders).execute()
  notifyFoldersChanged(context, rows)
}

/** Deletes assets, all or none: one that is in use blocks all. */
async function removeAssets(context: Context, ids: readonly string[]) {
  if (ids.length === 0) return
  const { db, accountId } = context
  // Locked first, so that no post or rendition starts to use it.
  const found = await db
    .selectFrom('media')
    .select(['id', 'digest', 'folderId'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .modifyEnd(lockRows('media', 'update'))
    .execute()
  if (found.length < ids.length) throw missing('Media')
  await refuseHeld(context, ids)
  const digests = await dropRenditions(context, ids)
  await db.deleteFrom('media').where('accountId', '=', accountId).where('id', 'in', ids).execute()
  notifyMediaChanged(context, found)
  await dropUses(context, [...found.map(({ digest }) => digest), ...digests])
}

async function refuseHeld({ db, accountId }: Context, ids: readonly string[]) {
  const hold = await db
    .selectFrom('mediaReferences')
    .innerJoin('media', (join) =>
      join.on('media.accountId', '=', accountId).onRef('media.id', '=', 'mediaReferences.mediaId'),
    )
    .select(['media.name', 'mediaReferences.what'])
    .where('mediaReferences.accountId', '=', accountId)
    .where('mediaReferences.mediaId', 'in', ids)
    .orderBy('mediaReferences.mediaId')
    .executeTakeFirst()
  if (hold) throw conflict(`"${hold.name}" cannot be deleted: ${hold.what} still needs it.`)
}

/** Marks assets as used by a holder, with the reason shown when one is to be deleted; replaces its previous marks. */
export async function holdMedia(context: Context, holder: string, mediaIds: readonly string[], what: string) {
  const { db, accountId } = context
  await releaseMedia(context, holder)
  if (mediaIds.length === 0) return
  const rows = [...new Set(mediaIds)].map((mediaId) => ({ accountId, mediaId, holder, what }))
  await db.insertInto('mediaReferences').values(rows).execute()
}

export const releaseMedia = (context: Context, holder: string) => releaseAllMedia(context, [holder])

export async function releaseAllMedia({ db, accountId }: Context, holders: readonly string[]) {
  if (holders.length === 0) return
  await later(db, sql`delete from media_references where account_id = ${accountId} and holder = any (${holders})`)
}

/** Call after creating, changing, moving or deleting assets. */
export const notifyMediaChanged = (context: Context, assets: readonly InFolder[]) =>
  notifyInFolder(context, mediaChanges.media, assets)

export const watchedMedia: PresenceKind = watchedIn('media', 'media')

/** Checks a video against the limits that apply when it is published. */
export async function validateVideo(context: Context, { id }: { id: string }) {
  const asset = await get(context, { id })
  if (asset.type !== 'Video')
    throw invalid(`Only videos can be validated; "${asset.name}" is of the type ${asset.type}.`)
  const facts: VideoFacts = {
    mime: asset.mimeType,
    bytes: asset.size,
    seconds: asset.durationMs === null ? undefined : asset.durationMs / 1000,
    width: asset.width ?? undefined,
    height: asset.height ?? undefined,
    framesPerSecond: asset.framesPerSecond ?? undefined,
    videoCodec: asset.videoCodec ?? undefined,
    audioCodec: asset.audioCodec ?? undefined,
  }
  const check = (network: Network) => {
    const errors = videoProblemsOn(network, facts)
    return { isValid: errors.length === 0, errors }
  }
  return {
    facebook: check('Facebook'),
    linkedIn: check('LinkedIn'),
    twitter: check('Twitter'),
    instagram: check('Instagram'),
    youtube: check('YouTube'),
  }
}
