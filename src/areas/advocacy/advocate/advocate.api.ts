import { z } from 'zod'
import { accountIds, scopeIds } from '#areas/account/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { choice, integer, listOf, optional, shape, text } from '#kernel/wire/fields.ts'
import { idFilter, listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import { boardRoles } from '../board/board-shape.ts'
import { advocacyIds } from '../declarations.ts'
import * as advocates from './advocate.ts'
import {
  Advocate,
  activityFilters,
  ListedAdvocate,
  memberChanges,
  OwnBoardSettings,
  readActivity,
  TopicChoice,
} from './advocate-shape.ts'
import * as leaderboards from './leaderboard.ts'
import * as ownBoards from './own-board.ts'

const advocate = z.object({ id: params.pathId(accountIds.user) })
const board = z.object({ id: params.pathId(scopeIds.board) })

const filters = { email: params.line({ min: 0 }).optional(), ...activityFilters }
const paging = { count: oneOf(25, 50, 100), order: sortBy({ created: 'date' }, 'created,0') }

export const endpoints = [
  endpoint('GET /advocate/{id}', {
    summary: 'Get an advocate; with boardId also their topics and latest shares',
    needs: 'read',
    params: advocate.extend({ boardId: params.idOf(scopeIds.board, { min: 0 }).optional() }),
    reply: item('Advocate', Advocate),
    run: advocates.get,
  }),
  endpoint('GET /advocate', {
    summary: 'List advocates; with boardId also their activity on the board',
    needs: 'read',
    params: listParams({ boardId: idFilter(scopeIds.board).optional(), ...filters }, paging),
    reply: list(ListedAdvocate),
    run: (context, { boardId, email, page, ...parameters }) =>
      advocates.search(context, { boardId, email, page, ...readActivity({ boardId, ...parameters }) }),
  }),
  endpoint('DELETE /advocate/{id}', {
    summary: 'Remove an advocate from a board',
    needs: 'approve',
    params: advocate.extend({ boardId: params.idOf(scopeIds.board) }),
    reply: done,
    run: advocates.remove,
  }),
]

const MyBoard = shape('MyBoard', {
  Id: text,
  Name: text,
  Slug: text,
  Kind: choice(['stories', 'messages']),
  Color: text,
  LogoUrl: text,
  Terms: text,
  Role: choice(boardRoles),
  UnseenTopics: integer,
})

const points = { Rank: integer, Points: integer, Shares: integer, Clicks: integer, Converts: integer }
const Leader = shape('Leader', { Id: text, Name: text, ...points })

/** Boards as their advocates use them. */
export const appEndpoints = [
  appEndpoint('GET /board/{id}/leaderboard', {
    summary: 'Get the leaderboard of a board with the caller’s rank',
    needs: 'share',
    params: board,
    reply: parts({ Period: text, Leaders: listOf(Leader), Mine: optional(Leader) }),
    run: leaderboards.get,
  }),
  appEndpoint('GET /board/{id}/settings', {
    summary: 'Get the caller’s settings on a board',
    needs: 'share',
    params: board,
    reply: item('Settings', OwnBoardSettings),
    run: ownBoards.getSettings,
  }),
  appEndpoint('POST /board/{id}/settings', {
    operationId: 'updateBoardSettings',
    summary: 'Update the caller’s name, custom fields and digest subscription on a board',
    needs: 'share',
    params: memberChanges,
    reply: item('Settings', OwnBoardSettings),
    run: ownBoards.changeSettings,
  }),
  appEndpoint('GET /board/{id}/topic', {
    summary: 'List the topics of a board with the caller’s selection and new ones',
    needs: 'share',
    params: board,
    reply: list(TopicChoice),
    run: ownBoards.listTopics,
  }),
  appEndpoint('POST /board/{id}/topic', {
    operationId: 'setBoardTopics',
    summary: 'Select topics of a board',
    needs: 'share',
    params: board.extend({ topicIds: params.idList(advocacyIds.topic) }),
    reply: list(TopicChoice),
    run: ownBoards.chooseTopics,
  }),
  appEndpoint('GET /board', {
    summary: 'List the caller’s boards',
    needs: 'share',
    params: z.object({}),
    reply: list(MyBoard),
    run: ownBoards.list,
  }),
  appEndpoint('GET /board/{boardId}/advocate', {
    summary: 'List the advocates of a board that the caller manages',
    needs: 'share',
    params: listParams({ boardId: params.pathId(scopeIds.board), ...filters }, paging),
    reply: list(ListedAdvocate),
    run: (context, { boardId, email, page, ...parameters }) =>
      advocates.searchAsManager(context, { boardId, email, page, ...readActivity({ boardId, ...parameters }) }),
  }),
]
