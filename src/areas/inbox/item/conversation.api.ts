import { z } from 'zod'
import { accountIds } from '#areas/account/declarations.ts'
import { leadIds } from '#areas/leads/declarations.ts'
import { publishingIds } from '#areas/publishing/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import {
  boolean,
  choice,
  datetime,
  integer,
  json,
  listOf,
  nullableText,
  optional,
  shape,
  text,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import { idFilter } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, parts } from '#kernel/wire/replies.ts'
import { connectedNetworks, networkSpellings } from '#networks/manifests.ts'
import { actOnMany, assign, bulkActions, note, setStatus } from '../actions/actions.ts'
import { createCase } from '../actions/case.ts'
import { inboxIds } from '../declarations.ts'
import { mostTags } from '../tag/tag.ts'
import { get, getFully, ofPerson, page, search } from './conversation.ts'
import {
  Conversation,
  consoleSearch,
  conversationSearch,
  FullConversation,
  itemStatuses,
  OpenConversation,
} from './item-shape.ts'
import { listComments, listEntries, listFullEntries, mostComments } from './timeline.ts'

const conversation = z.object({ id: params.pathId(inboxIds.inboxItem) })
const longestNote = 10_000
const nameInCrm = params.line({ min: 0 }).optional()

const timelinePage = conversation
  .extend({ last_loaded_id: params.idOf(inboxIds.inboxEntry, { min: 0 }).optional() })
  .transform(({ id, last_loaded_id: lastLoadedId }) => ({ id, lastLoadedId }))

const entryTypes = [
  ...(['message', 'comment', 'reply', 'like', 'share'] as const),
  ...(['note', 'assignment', 'status', 'tag', 'case'] as const),
] as const

/** An entry of the timeline, with the user for own actions. */
const TimelineEntry = shape('TimelineEntry', {
  Id: text,
  Type: choice(entryTypes),
  Created: datetime,
  Content: text,
  CreatedBy: optional(text),
})

/** The same with the console's fields. */
const FullEntry = shape('FullTimelineEntry', {
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

const Comment = shape('Comment', {
  ProfileName: text,
  Date: datetime,
  CommentText: text,
  CommentId: text,
  ActivityId: text,
  Network: text,
  PostlogId: text,
})

const Assignment = shape('ConversationAssignment', { ItemId: text, AssigneeId: text })
const Note = shape('ConversationNote', { Id: text, Type: text, Created: datetime, Content: text, CreatedBy: text })

export const endpoints = [
  endpoint('POST /conversation/{id}/create-case', {
    summary: 'Create or update the case of a conversation in a CRM; the timeline shows its status',
    needs: 'contribute',
    params: conversation
      .extend({
        integration_id: params.idOf(leadIds.integration),
        case_owner: nameInCrm,
        contact_id: nameInCrm,
        case_description: params.text({ max: 10_000 }).optional(),
      })
      .transform(({ id, integration_id, case_owner, contact_id, case_description }) => ({
        id,
        integrationId: integration_id,
        caseOwner: case_owner,
        contactId: contact_id,
        description: case_description,
      })),
    reply: done,
    run: createCase,
  }),
  endpoint('GET /conversation', {
    operationId: 'listConversations',
    summary: 'List the conversations of the inbox, latest activity first',
    needs: 'read',
    params: conversationSearch,
    reply: item('Conversations', shape(undefined, { Total: integer, Items: listOf(Conversation) })),
    run: search,
  }),
  endpoint('GET /conversation/{id}', {
    summary: 'Get a conversation with its tags',
    needs: 'read',
    params: conversation,
    reply: item('Conversation', Conversation),
    run: get,
  }),
  endpoint('GET /conversation/{id}/timeline', {
    summary: 'Get the timeline of a conversation, latest first; older entries with last_loaded_id',
    needs: 'read',
    params: timelinePage,
    reply: parts({ Timeline: listOf(TimelineEntry) }),
    run: listEntries,
  }),
  endpoint('GET /comments', {
    summary: `List the latest ${mostComments} comments of other people`,
    needs: 'read',
    params: z.object({
      postlogId: idFilter(publishingIds.postlog).optional(),
      network: params.words(connectedNetworks, networkSpellings).optional(),
      _count: params.count(1, mostComments).optional(),
    }),
    reply: parts({ Data: listOf(Comment) }),
    run: listComments,
  }),
  endpoint('POST /conversation/{id}', {
    summary: 'Open or close a conversation',
    needs: 'contribute',
    params: conversation.extend({ status: params.choice(itemStatuses) }),
    reply: done,
    run: setStatus,
  }),
  endpoint('POST /conversation/{id}/assign', {
    summary: 'Assign a conversation to a user',
    needs: 'contribute',
    params: conversation
      .extend({ assignee_id: params.idOf(accountIds.user), note: params.text({ max: longestNote }).optional() })
      .transform(({ assignee_id: assigneeId, ...rest }) => ({ ...rest, assigneeId })),
    reply: parts({ Assignment }),
    run: assign,
  }),
  endpoint('POST /conversation/{id}/note', {
    operationId: 'addConversationNote',
    summary: 'Add an internal note to a conversation',
    needs: 'contribute',
    params: conversation.extend({ note: params.text({ min: 1, max: longestNote }) }),
    reply: parts({ Note }),
    run: note,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /conversation', {
    summary: 'List a view of the inbox, latest activity first; continue with _after and a page’s Next',
    needs: 'read',
    params: consoleSearch,
    reply: parts({ Items: listOf(FullConversation), Total: integer, Next: nullableText }),
    run: page,
  }),
  appEndpoint('GET /conversation/{id}', {
    summary: 'Get a conversation with its post and the reason why it cannot be answered',
    needs: 'read',
    params: conversation,
    reply: item('Conversation', OpenConversation),
    run: getFully,
  }),
  appEndpoint('GET /conversation/{id}/of-person', {
    operationId: 'listConversationsOfPerson',
    summary: 'List other conversations of the same person, latest first',
    needs: 'read',
    params: conversation.extend({ _after: params.line({ min: 0, max: 15 }).optional() }),
    reply: parts({ Items: listOf(FullConversation), Next: nullableText }),
    run: ofPerson,
  }),
  appEndpoint('GET /conversation/{id}/timeline', {
    summary: 'Get the timeline of a conversation with people, media and reply status',
    needs: 'read',
    params: timelinePage,
    reply: parts({ Timeline: listOf(FullEntry), IsWhole: boolean }),
    run: listFullEntries,
  }),
  appEndpoint('POST /conversations', {
    operationId: 'changeConversations',
    summary: 'Open, close, assign, unassign, tag or untag up to 100 conversations',
    needs: 'contribute',
    params: z.object({
      ids: params.idsOf(inboxIds.inboxItem, { max: 100 }),
      action: params.choice(bulkActions),
      assigneeId: params.idOf(accountIds.user, { min: 0 }).optional(),
      tags: params.lineList({ max: mostTags }).optional(),
    }),
    reply: parts({ Changed: listOf(text), Missing: listOf(text) }),
    run: actOnMany,
  }),
]
