import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { everything, idFilter, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { advocacyIds } from '../declarations.ts'
import * as topics from './topic.ts'
import { Topic, topicChanges, topicDraft } from './topic-shape.ts'

export const endpoints = [
  endpoint('GET /board-topic', {
    summary: 'List the topics of boards',
    needs: 'read',
    params: listParams(
      { q: params.line({ min: 0 }).optional(), boardId: idFilter(scopeIds.board).optional() },
      { count: everything, order: sortBy({ created: 'date', name: 'text' }, 'created,0') },
    ),
    reply: list(Topic),
    run: topics.search,
  }),
  endpoint('POST /board-topic', {
    summary: 'Create a topic on a board; its advocates can select it at their next sign-in',
    needs: 'contribute',
    params: topicDraft,
    reply: item('Topic', Topic),
    run: topics.create,
  }),
  endpoint('POST /board-topic/{id}', {
    summary: 'Rename a topic',
    needs: 'contribute',
    params: topicChanges,
    reply: item('Topic', Topic),
    run: topics.update,
  }),
  endpoint('DELETE /board-topic/{id}', {
    summary: 'Delete a topic; its stories stay',
    needs: 'contribute',
    params: z.object({ id: params.pathId(advocacyIds.topic) }),
    reply: done,
    run: topics.remove,
  }),
]
