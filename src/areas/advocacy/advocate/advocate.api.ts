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
    summary: 'Get an advocate; with boardId also their topics and what they shared last',
    needs: 'read',
    params: id.extend({ boardId: params.idOf(scopeIds.board, { min: 0 }).optional() }),
    reply: item('Advocate', Advocate),
    run: advocates.get,
  }),
  endpoint('GET /advocate', {
    summary: 'List advocates, of one board with what they did there',
    needs: 'read',
    params: listParams({ boardId: idFilter(scopeIds.board).optional(), ...filters }, paging),
    reply: list(ListedAdvocate),
    run: (context, { boardId, email, page, ...asked }) =>
      advocates.search(context, { boardId, email, page, ...readActivity({ boardId, ...asked }) }),
  }),
  endpoint('DELETE /advocate/{id}', {
    summary: 'Take an advocate off a board',
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
    summary: 'List the boards that one is on',
    needs: 'share',
    params: z.object({}),
    reply: list(MyBoard),
    run: mine.list,
  }),
  appEndpoint('GET /board/{boardId}/advocate', {
    summary: 'List the advocates of a board that one manages',
    needs: 'share',
    params: listParams({ boardId: params.pathId(scopeIds.board), ...filters }, paging),
    reply: list(ListedAdvocate),
    run: (context, { boardId, email, page, ...asked }) =>
      mine.searchAdvocates(context, { boardId, email, page, ...readActivity({ boardId, ...asked }) }),
  }),
]
