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
/** In lists there is more about the file. */
export const ListedMedia = shape('ListedMedia', {
  ...fields,
  MimeType: text,
  VideoId: nullableText,
  VideoPreview: nullableText,
})
/** The console's library: what the rules of networks judge an asset by, and how much that is planned needs it. */
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

/** What people write of an asset; columns of its row. The description is what networks show to who cannot see it. */
export const mediaChanges = z.object({
  id: params.pathId(mediaIds.media),
  name: params.line().optional(),
  description: params.text({ max: 2000 }).optional(),
  folderId: params.idOf(mediaIds.mediaFolder, { min: 0 }).optional(),
})
export type MediaChanges = z.output<typeof mediaChanges>
