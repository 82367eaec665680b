import type { Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { contains } from '#kernel/database/contains.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { Media } from '#kernel/database/tables.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { requireFolder } from '../folder/folder.ts'
import { hintMedia } from '../media-hints.ts'
import { dropRenditions } from '../rendition/rendition-row.ts'
import { addressOf, previewOf } from '../serving/address.ts'
import { letGo } from '../storing/stored-file.ts'
import type { MediaChanges } from './asset-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const asset = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!asset) throw missing('Media')
  return shown(context, asset)
}

interface Search {
  q?: string | undefined
  type?: Selectable<Media>['type'] | undefined
  /** Empty for the top; everything when it is not given. */
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

/** Deletes assets, all or none: one that something still needs keeps all of them. */
export async function removeAll(context: Context, ids: readonly string[]) {
  if (ids.length === 0) return
  const { db, accountId } = context
  // Locked first, so that nothing new comes to need it: neither a post nor a rendition.
  const found = await db
    .selectFrom('media')
    .select(['id', 'digest', 'folderId'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .modifyEnd(heldRows('media', 'update'))
    .execute()
  if (found.length < ids.length) throw missing('Media')
  await refuseHeld(context, ids)
  const digests = await dropRenditions(context, ids)
  await db.deleteFrom('media').where('accountId', '=', accountId).where('id', 'in', ids).execute()
  hintMedia(context, found)
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

/** What is not given stays; an empty folder is the top. */
export async function update(context: Context, { id, folderId, ...changes }: MediaChanges) {
  const { db, accountId, userId, now } = context
  if (folderId) await requireFolder(context, folderId)
  const place = folderId !== undefined && { folderId: folderId || null }
  const asset = await db
    .updateTable('media')
    .set({ ...changes, ...place, modified: now, modifiedBy: userId })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!asset) throw missing('Media')
  hintMedia(context, [asset])
  return shown(context, asset)
}

/** What the wire says of an asset beyond its row. */
export function shown(context: Pick<Context, 'publicUrl'>, asset: Selectable<Media>) {
  const resource = asset.type === 'ImageUrl' ? asset.source : addressOf(context.publicUrl, asset)
  return { ...asset, resource, videoId: null, videoPreview: previewOf(context.publicUrl, asset) }
}

export const visible = ({ db, accountId }: Context) =>
  db.selectFrom('media').selectAll().where('accountId', '=', accountId)
