import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { inboxIds } from '../declarations.ts'
import * as replies from './reply.ts'
import { repair, repairs } from './reply.ts'
import { reply, replyUnlessOutdated } from './reply-create.ts'
import { checkedReplyDraft, Reply, replyDraft } from './reply-shape.ts'

export const endpoints = [
  endpoint('POST /conversation/{id}/reply', {
    operationId: 'replyToConversation',
    summary: 'Reply to a conversation, with a comment or a direct message',
    needs: 'contribute',
    params: replyDraft,
    reply: done,
    run: reply,
  }),
]

export const appEndpoints = [
  appEndpoint('POST /conversation/{id}/reply', {
    operationId: 'replyToConversation',
    summary: 'Reply to a conversation unless a colleague replied in the meantime',
    needs: 'contribute',
    params: checkedReplyDraft,
    reply: item('Reply', Reply),
    run: replyUnlessOutdated,
  }),
  appEndpoint('GET /conversation/{id}/reply', {
    summary: 'List the replies of a conversation with their status, newest first',
    needs: 'read',
    params: z.object({ id: params.pathId(inboxIds.inboxItem) }),
    reply: list(Reply),
    run: replies.list,
  }),
  appEndpoint('POST /reply/{id}/repair', {
    summary: 'Mark a reply as sent, send it again, or drop it',
    needs: 'contribute',
    params: z.object({
      id: params.pathId(inboxIds.inboxReply),
      action: params.choice(repairs),
      remoteId: params.line({ min: 0 }).optional(),
    }),
    reply: item('Reply', Reply),
    run: repair,
  }),
]
