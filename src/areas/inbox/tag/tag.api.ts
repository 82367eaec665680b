import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { listOf, shape, text } from '#kernel/wire/fields.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import { inboxIds } from '../declarations.ts'
import { ItemTag } from '../item/item-shape.ts'
import * as tags from './tag.ts'

/** A conversation tag; inside a conversation its value is called its name. */
const ConversationTag = shape('ConversationTag', { Id: text, Value: text })

const tag = z.object({ id: params.pathId(inboxIds.conversationTag) })

export const endpoints = [
  endpoint('POST /conversation/{id}/tag', {
    operationId: 'setConversationTags',
    summary: 'Set the tags of a conversation; new tags are created',
    needs: 'contribute',
    params: z.object({ id: params.pathId(inboxIds.inboxItem), tags: params.lineList({ max: tags.mostTags }) }),
    reply: parts({ Tags: listOf(ItemTag) }),
    run: tags.replaceTags,
  }),
  endpoint('GET /conversation-tag', {
    summary: 'List conversation tags',
    needs: 'read',
    params: listParams(
      { q: params.line({ min: 0 }).optional() },
      { count: upTo(100, 20), order: sortBy({ name: 'text', created: 'date' }, 'name,1') },
    ),
    reply: list(ConversationTag),
    run: tags.search,
  }),
  endpoint('GET /conversation-tag/{id}', {
    summary: 'Get a conversation tag',
    needs: 'read',
    params: tag,
    reply: item('Tag', ConversationTag),
    run: tags.get,
  }),
  endpoint('POST /conversation-tag/{id}', {
    summary: 'Rename a conversation tag',
    needs: 'contribute',
    params: tag.extend({ tag: params.line({ max: tags.longestTag }) }),
    reply: done,
    run: tags.rename,
  }),
  endpoint('DELETE /conversation-tag/{id}', {
    summary: 'Delete a conversation tag and remove it from all conversations',
    needs: 'contribute',
    params: tag,
    reply: done,
    run: tags.remove,
  }),
]
