import { choice, datetime, integer, nullableText, shape, text } from '#kernel/wire/fields.ts'

export const mediaTypes = ['Image', 'Video', 'ImageUrl', 'PDF'] as const

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
