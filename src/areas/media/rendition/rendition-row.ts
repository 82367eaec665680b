import type { Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Media, MediaRenditions } from '#kernel/database/tables.ts'
import type { ImageRule } from '#networks/content/content.ts'
import { scaleToFit } from '#networks/content/media-check.ts'

export type Rendition = Selectable<MediaRenditions>

interface RenderedMedia {
  accountId: string
  id: string
}

/** An existing rendition for these bounds. */
export const findRendition = (db: Db, asset: RenderedMedia, { maxBytes, maxWidth }: Bounds) =>
  allOf(db, asset).where('maxBytes', '=', maxBytes).where('maxWidth', '=', maxWidth).executeTakeFirst()

export const renditionsOf = (db: Db, asset: RenderedMedia) => allOf(db, asset).execute()

/** Deletes the renditions of assets to be deleted; returns their contents to be released. */
export async function dropRenditions({ db, accountId }: Context, mediaIds: readonly string[]): Promise<string[]> {
  const dropped = await db
    .deleteFrom('mediaRenditions')
    .where('accountId', '=', accountId)
    .where('mediaId', 'in', mediaIds)
    .returning('digest')
    .execute()
  return dropped.map(({ digest }) => digest)
}

/** File name with the right extension. */
export const jpegName = (name: string) => `${name.replace(/\.(png|gif|jpe?g)$/i, '')}.jpg`

const allOf = (db: Db, { accountId, id }: RenderedMedia) =>
  db.selectFrom('mediaRenditions').selectAll().where('accountId', '=', accountId).where('mediaId', '=', id)

/** Limits of a JPEG for a network. */
export interface Bounds {
  maxBytes: number
  maxWidth: number
}

type Picture = Pick<Selectable<Media>, 'mimeType' | 'size' | 'width' | 'height' | 'frames'>

/** Bounds of a JPEG; undefined if the image can stay unchanged, or is animated. */
export function jpegBounds(picture: Picture, rule: ImageRule | undefined): Bounds | undefined {
  const { mimeType, width, height, frames } = picture
  if (!rule || !mimeType.startsWith('image/') || (frames ?? 1) > 1 || !width || !height) return undefined
  const scale = scaleToFit(rule.sides, width, height)
  const maxWidth = Math.min(widthWithin(rule.maxPixels, width, height), Math.max(1, Math.floor(width * scale)))
  const isTaken = rule.mimes.includes(mimeType) && picture.size <= mostBytes(mimeType, rule) && maxWidth === width
  return isTaken ? undefined : { maxBytes: rule.maxBytes, maxWidth }
}

const mostBytes = (mimeType: string, { maxBytes, gif }: ImageRule) =>
  mimeType === 'image/gif' && gif ? gif.maxBytes : maxBytes

/** Height first: scaling rounds it, and it must not exceed the limit. */
function widthWithin(maxPixels = Number.POSITIVE_INFINITY, width: number, height: number): number {
  if (width * height <= maxPixels) return width
  const most = Math.max(1, Math.floor(Math.sqrt((maxPixels * height) / width)))
  return Math.max(1, Math.floor((most * width) / height))
}
