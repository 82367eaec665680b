import { z } from 'zod'
import { accountIds } from '#areas/account/declarations.ts'
import { profileKey } from '#areas/profiles/declarations.ts'
import {
  choice,
  datetime,
  flag,
  integer,
  json,
  listOf,
  nullableText,
  optional,
  shape,
  text,
} from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { connectedNetworks, networkSpellings } from '#networks/manifests.ts'
import { inboxIds } from '../declarations.ts'

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

/** The same with the console's fields. */
const shownFields = {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Status: choice(itemStatuses),
  Network: text,
  ItemType: choice(itemTypes),
  AssigneeId: nullableText,
  ProfileName: text,
  Tags: listOf(ItemTag),
  CredentialId: text,
  Origin: choice(['external', 'owned'] as const),
  Url: text,
  EventDate: datetime,
  LastActivity: datetime,
  PersonId: text,
  PersonUsername: text,
  PersonPicture: text,
  Text: text,
  Media: listOf(text),
  Language: text,
  Entries: integer,
  PostURL: text,
  PostText: text,
  PostMedia: listOf(text),
  PostlogId: nullableText,
  IsUnread: flag,
}
export const FullConversation = shape('FullConversation', shownFields)

/** A single item with the reason why it can't be replied to; empty if none is known. */
export const OpenConversation = shape('OpenConversation', { ...shownFields, CannotReply: text })

const filters = z.object({
  type: params.choices(itemTypes).optional(),
  status: params.words(itemStatuses).optional(),
  network: params.words(connectedNetworks, networkSpellings).optional(),
  tag: params.lineList({ max: 100 }).optional(),
  q: params.line({ min: 0 }).optional(),
  _count: params.count(1, 100).optional(),
})

/** List parameters of the contract. */
export const conversationSearch = filters
  .extend({ assignee_id: params.idList(accountIds.user).optional() })
  .transform(({ type: types, status: statuses, network: networks, assignee_id: assigneeIds, tag, q, _count }) => ({
    types,
    statuses,
    networks,
    assigneeIds,
    tags: tag,
    q,
    count: _count,
  }))

/** List parameters of the console: additionally a view, profiles, `me` and `none` for assignees, unread, and a cursor. */
export const consoleSearch = filters
  .extend({
    assignee_id: params.idsOf(accountIds.user, { max: 1000 }).optional(),
    credential_id: params.idsOf(profileKey, { max: 1000 }).optional(),
    unread: params.flag.optional(),
    view: params.idOf(inboxIds.inboxView, { min: 0 }).optional(),
    _after: params.line({ min: 0, max: 40 }).optional(),
  })
  .transform(
    ({ type: types, status: statuses, network: networks, assignee_id: assigneeIds, credential_id, ...rest }) => ({
      types,
      statuses,
      networks,
      assigneeIds,
      credentialIds: credential_id,
      tags: rest.tag,
      q: rest.q,
      isUnread: rest.unread,
      view: rest.view,
      after: rest._after,
      count: rest._count,
    }),
  )
export type ConsoleSearch = z.output<typeof consoleSearch>

/** A profile of the account, or an external person with the network's id. */
const Profile = shape(undefined, { Id: text, Name: text, Picture: text, Type: text })
const TextFields = shape(undefined, { Text: text, Media: listOf(text) })

/** Webhook payload of a comment, reply or mention. */
export const CommentFacts = shape(undefined, {
  PostId: text,
  PostURL: text,
  Profile,
  CommentProfile: Profile,
  PostContent: TextFields,
  CommentContent: TextFields,
  CommentDate: datetime,
})

/** Webhook payload of a thread of direct messages. */
export const ThreadFacts = shape(undefined, {
  Profile,
  RemoteProfile: Profile,
  LatestMessage: shape(undefined, { Text: text, Media: listOf(text), Created: datetime }),
})

/** Webhook payload of an item. */
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
