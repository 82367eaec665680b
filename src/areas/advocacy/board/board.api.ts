import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { publishingIds } from '#areas/publishing/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { everything, idFilter, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { advocacyIds } from '../declarations.ts'
import * as boards from './board.ts'
import * as boardMessages from './board-message.ts'
import { Board, BoardSettings, boardChanges, boardDraft, Topic, topicChanges, topicDraft } from './board-shape.ts'
import * as topics from './topic.ts'

const board = z.object({ id: params.pathId(scopeIds.board) })
const boardMessage = z.object({ boardId: params.idOf(scopeIds.board), messageId: params.idOf(publishingIds.message) })

export const endpoints = [
  endpoint('POST /board-message', {
    summary: 'Add a message to a board of the older kind, or change its dates there',
    needs: 'contribute',
    params: boardMessage.extend({
      startDate: params.momentOrNone.optional(),
      expireDate: params.momentOrNone.optional(),
      important: params.flag.optional(),
      topicIds: params.idsOf(advocacyIds.topic, { max: 100 }).optional(),
    }),
    reply: done,
    run: boardMessages.add,
  }),
  endpoint('DELETE /board-message', {
    summary: 'Remove a message from a board of the older kind',
    needs: 'contribute',
    params: boardMessage,
    reply: done,
    run: boardMessages.remove,
  }),
  endpoint('GET /board/{id}', {
    summary: 'Get a board',
    needs: 'read',
    params: board,
    reply: item('Board', Board),
    run: boards.get,
  }),
  endpoint('GET /board', {
    summary: 'List boards',
    needs: 'read',
    params: listParams({}, { count: everything, order: sortBy({ created: 'date', name: 'text' }, 'created,0') }),
    reply: list(Board),
    run: boards.search,
  }),
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

export const appEndpoints = [
  appEndpoint('POST /boards', {
    summary: 'Create a board',
    needs: 'approve',
    params: boardDraft,
    reply: item('Board', BoardSettings),
    run: boards.create,
  }),
  appEndpoint('GET /boards/{id}', {
    summary: 'Get all settings of a board',
    needs: 'read',
    params: board,
    reply: item('Board', BoardSettings),
    run: boards.settings,
  }),
  appEndpoint('POST /boards/{id}', {
    summary: 'Update the settings of a board, archive or reactivate it',
    needs: 'approve',
    params: boardChanges,
    reply: item('Board', BoardSettings),
    run: boards.update,
  }),
]
