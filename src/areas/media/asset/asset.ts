import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import type { Media } from '#kernel/database/tables.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { requireFolder } from '../folder/folder.ts'
import { notifyMediaChanged } from '../media-changes.ts'
import { dropRenditions } from '../rendition/rendition-row.ts'
import { addressOf, letGo, previewOf } from '../storing/stored-file.ts'
import type { MediaChanges, MediaType } from './asset-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const asset = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!asset) throw missing('Media')
  return shown(context, asset)
}

interface Search {
  q?: string | undefined
  type?: Selectable<Media>['type'] | undefined
  /** Empty for the root; undefined for all. */
  folderId?: string | undefined
  page: Page
}

export async function search(context: Context, { q = '', type, folderId, page }: Search) {
  if (folderId) await requireFolder(context, folderId)
  const matching = visible(context)
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
    .$if(type !== undefined, (rows) => rows.where('type', '=', type as Selectable<Media>['type']))
    .$if(folderId === '', (rows) => rows.where('folderId', 'is', null))
    .$if(Boolean(folderId), (rows) => rows.where('folderId', '=', folderId as string))
  const { items, total } = await paginate(matching, page)
  return { items: items.map((asset) => shown(context, asset)), total }
}

export const remove = (context: Context, { id }: { id: string }) => removeAll(context, [id])

/** Deletes assets, all or none: one that is in use blocks all. */
export async function removeAll(context: Context, ids: readonly string[]) {
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
  await letGo(context, [...found.map(({ digest }) => digest), ...digests])
}

async function refuseHeld({ db, accountId }: Context, ids: readonly string[]) {
  const hold = await db
    .selectFrom('mediaHolds')
    .innerJoin('media', (join) =>
      join.on('media.accountId', '=', accountId).onRef('media.id', '=', 'mediaHolds.mediaId'),
    )
    .select(['media.name', 'mediaHolds.what'])
    .where('mediaHolds.accountId', '=', accountId)
    .where('mediaHolds.mediaId', 'in', ids)
    .orderBy('mediaHolds.mediaId')
    .executeTakeFirst()
  if (hold) throw conflict(`"${hold.name}" cannot be deleted: ${hold.what} still needs it.`)
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

/** Adds URLs to an asset's row. */
export function shown(context: Pick<Context, 'publicUrl'>, asset: Selectable<Media>) {
  const resource = asset.type === 'ImageUrl' ? asset.source : addressOf(context.publicUrl, asset)
  return { ...asset, resource, videoId: null, videoPreview: previewOf(context.publicUrl, asset) }
}

export const visible = ({ db, accountId }: Context) =>
  db.selectFrom('media').selectAll().where('accountId', '=', accountId)

interface LibrarySearch {
  id?: string | undefined
  q?: string | undefined
  type?: MediaType | undefined
  /** Empty for the root; undefined for all. */
  folderId?: string | undefined
  /** Only assets without scheduled uses. */
  unused?: boolean | undefined
  page: Page
}

/** Assets with their dimensions, for network rules, the number of scheduled uses, and the URL of the stored file. */
export async function listLibrary(
  context: Context,
  { id = '', q = '', type, folderId, unused = false, page }: LibrarySearch,
) {
  if (folderId) await requireFolder(context, folderId)
  const holds = sql`media_holds h where h.account_id = ${context.accountId} and h.media_id = media.id`
  const matching = visible(context)
    .select(sql<number>`(select count(*) from ${holds})`.as('uses'))
    .$if(id !== '', (rows) => rows.where('id', '=', id))
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
    .$if(type !== undefined, (rows) => rows.where('type', '=', type as MediaType))
    .$if(folderId === '', (rows) => rows.where('folderId', 'is', null))
    .$if(Boolean(folderId), (rows) => rows.where('folderId', '=', folderId as string))
    // A correlated subquery in list order: an anti-join would read and sort all assets of the account for one page.
    .$if(unused, (rows) => rows.where(sql<boolean>`(select 1 from ${holds} limit 1) is null`))
  const { items, total } = await paginate(matching, page)
  return {
    items: items.map((asset) => ({ ...shown(context, asset), uses: asset.uses, address: addressOf('', asset) })),
    total,
  }
}

/** Marks assets as used by a holder, with the reason shown when one is to be deleted; replaces its previous marks. */
export async function holdMedia(context: Context, holder: string, mediaIds: readonly string[], what: string) {
  const { db, accountId } = context
  await releaseMedia(context, holder)
  if (mediaIds.length === 0) return
  const rows = [...new Set(mediaIds)].map((mediaId) => ({ accountId, mediaId, holder, what }))
  await db.insertInto('mediaHolds').values(rows).execute()
}

export const releaseMedia = (context: Context, holder: string) => releaseAllMedia(context, [holder])

export async function releaseAllMedia({ db, accountId }: Context, holders: readonly string[]) {
  if (holders.length === 0) return
  await later(db, sql`delete from media_holds where account_id = ${accountId} and holder = any (${holders})`)
}
