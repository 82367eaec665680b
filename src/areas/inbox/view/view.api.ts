import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { listOf } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { moment } from '#kernel/wire/params.ts'
import { done, item, parts } from '#kernel/wire/replies.ts'
import { inboxIds } from '../declarations.ts'
import * as readState from '../item/read-state.ts'
import * as views from './view.ts'
import { CountedView, InboxView, viewChanges, viewDraft } from './view-shape.ts'

const id = z.object({ id: params.pathId(inboxIds.inboxItem) })

export const endpoints = [
  appEndpoint('GET /inbox/views', {
    summary: 'List the inbox views with total and unread counts',
    needs: 'read',
    params: z.object({}),
    reply: parts({ Items: listOf(CountedView) }),
    run: views.list,
  }),
  appEndpoint('POST /inbox/views', {
    summary: 'Create an inbox view, private or shared',
    needs: 'contribute',
    params: viewDraft,
    reply: item('View', InboxView),
    run: views.create,
  }),
  appEndpoint('POST /inbox/views/{id}', {
    summary: 'Update an inbox view',
    needs: 'contribute',
    params: viewChanges,
    reply: item('View', InboxView),
    run: views.update,
  }),
  appEndpoint('DELETE /inbox/views/{id}', {
    summary: 'Delete an inbox view; its conversations stay',
    needs: 'contribute',
    params: z.object({ id: params.pathId(inboxIds.inboxView) }),
    reply: done,
    run: views.remove,
  }),
  appEndpoint('PUT /inbox/views', {
    operationId: 'orderInboxViews',
    summary: 'Set the order of the caller’s inbox views',
    needs: 'contribute',
    params: z.object({ ids: params.idsOf(inboxIds.inboxView, { max: 100 }) }),
    reply: done,
    run: views.order,
  }),
  appEndpoint('POST /inbox/open', {
    operationId: 'openInbox',
    summary: 'Start using the inbox; later activity is unread',
    needs: 'read',
    params: z.object({}),
    reply: done,
    run: readState.open,
  }),
  appEndpoint('POST /inbox/read', {
    operationId: 'markInboxRead',
    summary: 'Mark all conversations as read',
    needs: 'read',
    params: z.object({}),
    reply: done,
    run: readState.markAllRead,
  }),
  appEndpoint('POST /conversation/{id}/read', {
    operationId: 'markConversationRead',
    summary: 'Mark a conversation as read, up to lastActivity if given',
    needs: 'read',
    params: id.extend({ lastActivity: moment.optional() }),
    reply: done,
    run: readState.markRead,
  }),
  appEndpoint('POST /conversation/{id}/unread', {
    operationId: 'markConversationUnread',
    summary: 'Mark a conversation as unread',
    needs: 'read',
    params: id,
    reply: done,
    run: readState.markUnread,
  }),
]
