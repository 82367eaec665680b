import { z } from 'zod'
import { accountIds, scopeIds } from '#areas/account/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { choice, integer, shape, text } from '#kernel/wire/fields.ts'
import { idFilter, listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { boardRoles } from '../board/board-shape.ts'
import * as advocates from './advocate.ts'
import { Advocate, activityFilters, ListedAdvocate, readActivity } from './advocate-shape.ts'
import * as mine from './my-boards.ts'

const id = z.object({ id: params.pathId(accountIds.user) })

const filters = { email: params.line({ min: 0 }).optional(), ...activityFilters }
const paging = { count: oneOf(25, 50, 100), order: sortBy({ created: 'date' }, 'created,0') }

export const endpoints = [
  endpoint('GET /advocate/{id}', {
    summary: 'Get an advocate; with boardId also their topics and latest shares',
    needs: 'read',
    params: id.extend({ boardId: params.idOf(scopeIds.board, { min: 0 }).optional() }),
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
    params: id.extend({ boardId: params.idOf(scopeIds.board) }),
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

export const appEndpoints = [
  appEndpoint('GET /board', {
    summary: 'List the caller’s boards',
    needs: 'share',
    params: z.object({}),
    reply: list(MyBoard),
    run: mine.list,
  }),
  appEndpoint('GET /board/{boardId}/advocate', {
    summary: 'List the advocates of a board that the caller manages',
    needs: 'share',
    params: listParams({ boardId: params.pathId(scopeIds.board), ...filters }, paging),
    reply: list(ListedAdvocate),
    run: (context, { boardId, email, page, ...parameters }) =>
      mine.searchAdvocates(context, { boardId, email, page, ...readActivity({ boardId, ...parameters }) }),
  }),
]
