import { z } from 'zod'
import {
  choice,
  datetime,
  integer,
  nullableDecimal,
  nullableInteger,
  nullableText,
  shape,
  text,
} from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { mediaIds } from '../declarations.ts'

export const mediaTypes = ['Image', 'Video', 'ImageUrl', 'PDF'] as const
export type MediaType = (typeof mediaTypes)[number]

const fields = {
  Id: text,
  Created: datetime,
  Modified: datetime,
  AccountId: text,
  Status: text,
  CreatedBy: text,
  ModifiedBy: text,
  Type: choice(mediaTypes),
  Resource: text,
  Name: text,
  Description: text,
  FolderId: nullableText,
  Size: integer,
}
export const Media = shape('Media', fields)
/** Lists include more file details. */
export const ListedMedia = shape('ListedMedia', {
  ...fields,
  MimeType: text,
  VideoId: nullableText,
  VideoPreview: nullableText,
})
/** The console's library: with the properties that network rules check, and the number of scheduled uses. */
export const LibraryMedia = shape('LibraryMedia', {
  ...fields,
  MimeType: text,
  Width: nullableInteger,
  Height: nullableInteger,
  DurationMs: nullableInteger,
  FramesPerSecond: nullableDecimal,
  VideoCodec: nullableText,
  AudioCodec: nullableText,
  Pages: nullableInteger,
  Frames: nullableInteger,
  Uses: integer,
  Address: text,
})

/** Writable columns. Networks show the description to people who can't see the image. */
export const mediaChanges = z.object({
  id: params.pathId(mediaIds.media),
  name: params.line().optional(),
  description: params.text({ max: 2000 }).optional(),
  folderId: params.idOf(mediaIds.mediaFolder, { min: 0 }).optional(),
})
export type MediaChanges = z.output<typeof mediaChanges>
