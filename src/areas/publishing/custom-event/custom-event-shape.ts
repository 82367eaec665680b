import { datetime, listOf, shape, text } from '#kernel/wire/fields.ts'

export const CustomEvent = shape('CustomEvent', {
  ID: text,
  Created: datetime,
  Modified: datetime,
  AccountID: text,
  Title: text,
  Description: text,
  Color: text,
  StartDateTime: datetime,
  EndDateTime: datetime,
  Campaigns: listOf(shape(undefined, { Id: text, Name: text })),
})
