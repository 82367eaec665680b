import { z } from 'zod'
import { accountIds } from '#areas/account/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { done, parts } from '#kernel/wire/replies.ts'
import { inboxIds } from '../declarations.ts'
import { itemStatuses } from '../item/item-shape.ts'
import { tagNames } from '../tag/tag-shape.ts'
import { actOnMany, assign, bulkActions, note, setStatus } from './actions.ts'

const id = params.pathId(inboxIds.inboxItem)
const longestNote = 10_000

const Assignment = shape('ConversationAssignment', { ItemId: text, AssigneeId: text })
const Note = shape('ConversationNote', { Id: text, Type: text, Created: datetime, Content: text, CreatedBy: text })

export const endpoints = [
  endpoint('POST /conversation/{id}', {
    summary: 'Open or close a conversation',
    needs: 'contribute',
    params: z.object({ id, status: params.choice(itemStatuses) }),
    reply: done,
    run: setStatus,
  }),
  endpoint('POST /conversation/{id}/assign', {
    summary: 'Assign a conversation to a user',
    needs: 'contribute',
    params: z
      .object({ id, assignee_id: params.idOf(accountIds.user), note: params.text({ max: longestNote }).optional() })
      .transform(({ assignee_id: assigneeId, ...rest }) => ({ ...rest, assigneeId })),
    reply: parts({ Assignment }),
    run: assign,
  }),
  endpoint('POST /conversation/{id}/note', {
    operationId: 'addConversationNote',
    summary: 'Add an internal note to a conversation',
    needs: 'contribute',
    params: z.object({ id, note: params.text({ min: 1, max: longestNote }) }),
    reply: parts({ Note }),
    run: note,
  }),
]

export const appEndpoints = [
  appEndpoint('POST /conversations', {
    operationId: 'changeConversations',
    summary: 'Open, close, assign, unassign, tag or untag up to 100 conversations',
    needs: 'contribute',
    params: z.object({
      ids: params.idsOf(inboxIds.inboxItem, { max: 100 }),
      action: params.choice(bulkActions),
      assigneeId: params.idOf(accountIds.user, { min: 0 }).optional(),
      tags: tagNames.optional(),
    }),
    reply: parts({ Changed: listOf(text), Missing: listOf(text) }),
    run: actOnMany,
  }),
]
