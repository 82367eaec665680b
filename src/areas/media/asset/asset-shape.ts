import { choice, datetime, integer, integerText, nullableText, shape, text } from '#kernel/wire/fields.ts'

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
}
export const Media = shape('Media', { ...fields, Size: integer })
/** In lists the size is a text, and there is more about the file. */
export const ListedMedia = shape('ListedMedia', {
  ...fields,
  Size: integerText,
  MimeType: text,
  VideoId: nullableText,
  VideoPreview: nullableText,
})
