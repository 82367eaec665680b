import { choice, datetime, integer, nullableText, shape, text } from '#kernel/wire/fields.ts'

export const statuses = ['pending', 'failed', 'complete'] as const

export const Upload = shape('Upload', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  CreatedBy: text,
  Status: choice(statuses),
  Name: text,
  MimeType: text,
  TotalSize: integer,
  Downloaded: integer,
  Source: text,
  LastError: nullableText,
  Attempts: integer,
  MediaId: nullableText,
})
