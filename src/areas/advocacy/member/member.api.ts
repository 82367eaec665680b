import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { item, list } from '#kernel/wire/replies.ts'
import { advocacyIds } from '../declarations.ts'
import * as settings from './member-settings.ts'
import { BoardSettings, memberChanges, TopicChoice } from './member-shape.ts'

const board = z.object({ id: params.pathId(scopeIds.board) })

/** Settings that advocates manage themselves. */
export const endpoints = [
  appEndpoint('GET /board/{id}/settings', {
    summary: 'Get the caller’s settings on a board',
    needs: 'share',
    params: board,
    reply: item('Settings', BoardSettings),
    run: settings.get,
  }),
  appEndpoint('POST /board/{id}/settings', {
    operationId: 'updateBoardSettings',
    summary: 'Update the caller’s name, custom fields and digest subscription on a board',
    needs: 'share',
    params: memberChanges,
    reply: item('Settings', BoardSettings),
    run: settings.change,
  }),
  appEndpoint('GET /board/{id}/topic', {
    summary: 'List the topics of a board with the caller’s selection and new ones',
    needs: 'share',
    params: board,
    reply: list(TopicChoice),
    run: settings.list,
  }),
  appEndpoint('POST /board/{id}/topic', {
    operationId: 'setBoardTopics',
    summary: 'Select topics of a board',
    needs: 'share',
    params: board.extend({ topicIds: params.idList(advocacyIds.topic) }),
    reply: list(TopicChoice),
    run: settings.choose,
  }),
]
