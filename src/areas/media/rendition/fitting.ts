import type { Selectable } from 'kysely'
import type { Media } from '#kernel/database/tables.ts'
import type { ImageRule } from '#networks/content/limits.ts'
import { shrinkage } from '#networks/content/media-check.ts'

/** What a JPEG must keep to so that a network takes it. */
export interface Bounds {
  maxBytes: number
  maxWidth: number
}

type Picture = Pick<Selectable<Media>, 'mimeType' | 'size' | 'width' | 'height' | 'frames'>

/** What a JPEG of the picture must keep to; nothing when the picture may stay as it is, or moves: no JPEG does. */
export function jpegBounds(picture: Picture, rule: ImageRule | undefined): Bounds | undefined {
  const { mimeType, width, height, frames } = picture
  if (!rule || !mimeType.startsWith('image/') || (frames ?? 1) > 1 || !width || !height) return undefined
  const scale = shrinkage(rule.sides, width, height)
  const maxWidth = Math.min(widthWithin(rule.maxPixels, width, height), Math.max(1, Math.floor(width * scale)))
  const isTaken = rule.mimes.includes(mimeType) && picture.size <= mostBytes(mimeType, rule) && maxWidth === width
  return isTaken ? undefined : { maxBytes: rule.maxBytes, maxWidth }
}

const mostBytes = (mimeType: string, { maxBytes, gif }: ImageRule) =>
  mimeType === 'image/gif' && gif ? gif.maxBytes : maxBytes

/** The height comes first: it is rounded by whoever scales, and may not come out higher than was reckoned with. */
function widthWithin(maxPixels = Number.POSITIVE_INFINITY, width: number, height: number): number {
  if (width * height <= maxPixels) return width
  const most = Math.max(1, Math.floor(Math.sqrt((maxPixels * height) / width)))
  return Math.max(1, Math.floor((most * width) / height))
}
