import {
  boolean,
  choice,
  datetime,
  json,
  listOf,
  nullableText,
  optional,
  shape,
  text,
  zeroDatetime,
} from '#kernel/wire/fields.ts'

export const entryTypes = [
  ...(['message', 'comment', 'reply', 'like', 'share'] as const),
  ...(['note', 'assignment', 'status', 'tag', 'case'] as const),
] as const

/** An entry of the timeline, with the user for own actions. */
export const TimelineEntry = shape('TimelineEntry', {
  Id: text,
  Type: choice(entryTypes),
  Created: datetime,
  Content: text,
  CreatedBy: optional(text),
})

/** The same with the console's fields. */
export const FullEntry = shape('FullTimelineEntry', {
  Id: text,
  Type: choice(entryTypes),
  Created: datetime,
  Content: text,
  CreatedBy: nullableText,
  IsOwn: boolean,
  CredentialId: text,
  CommentId: text,
  ParentCommentId: text,
  PersonId: text,
  PersonName: text,
  PersonUsername: text,
  PersonPicture: text,
  Media: listOf(text),
  Url: text,
  Language: text,
  ReplyId: text,
  Details: json,
  Edited: zeroDatetime,
  Removed: zeroDatetime,
})
