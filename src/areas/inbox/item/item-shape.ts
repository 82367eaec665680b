import { choice, datetime, json, listOf, nullableText, optional, shape, text } from '#kernel/wire/fields.ts'

export const itemTypes = ['Conversation', 'Post', 'Mention', 'Reply'] as const
export const itemStatuses = ['open', 'closed'] as const

export const ItemTag = shape('ConversationTagName', { Id: text, Name: text })

export const Conversation = shape('Conversation', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Status: choice(itemStatuses),
  Network: text,
  ItemType: choice(itemTypes),
  AssigneeId: nullableText,
  ProfileName: text,
  Tags: optional(listOf(ItemTag)),
})

/** A profile of the account, or a stranger, whose id is the network's. */
const Profile = shape(undefined, { Id: text, Name: text, Picture: text, Type: text })
const Said = shape(undefined, { Text: text, Media: listOf(text) })

/** What webhooks are told of a comment, a reply or a mention. */
export const CommentFacts = shape(undefined, {
  PostId: text,
  PostURL: text,
  Profile,
  CommentProfile: Profile,
  PostContent: Said,
  CommentContent: Said,
  CommentDate: datetime,
})

/** What they are told of a thread of direct messages. */
export const ThreadFacts = shape(undefined, {
  Profile,
  RemoteProfile: Profile,
  LatestMessage: shape(undefined, { Text: text, Media: listOf(text), Created: datetime }),
})

/** An item as webhooks are told of it. */
export const ItemElement = shape(undefined, {
  Id: text,
  Created: datetime,
  EventDate: datetime,
  Network: text,
  ItemType: choice(itemTypes),
  Status: choice(itemStatuses),
  Url: text,
  Origin: choice(['external', 'owned'] as const),
  Data: json,
})
