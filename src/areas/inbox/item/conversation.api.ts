import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { integer, listOf, nullableText, shape } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { item, parts } from '#kernel/wire/replies.ts'
import { inboxIds } from '../declarations.ts'
import { get, getFully, ofPerson, page, search } from './conversation.ts'
import { Conversation, consoleSearch, conversationSearch, FullConversation, OpenConversation } from './item-shape.ts'

const id = z.object({ id: params.pathId(inboxIds.inboxItem) })

export const endpoints = [
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
    params: id,
    reply: item('Conversation', Conversation),
    run: get,
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
    params: id,
    reply: item('Conversation', OpenConversation),
    run: getFully,
  }),
  appEndpoint('GET /conversation/{id}/of-person', {
    operationId: 'listConversationsOfPerson',
    summary: 'List other conversations of the same person, latest first',
    needs: 'read',
    params: id.extend({ _after: params.line({ min: 0, max: 15 }).optional() }),
    reply: parts({ Items: listOf(FullConversation), Next: nullableText }),
    run: ofPerson,
  }),
]
