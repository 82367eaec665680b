import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { everything, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { item, list } from '#kernel/wire/replies.ts'
import * as boards from './board.ts'
import { Board, BoardSettings, boardChanges, boardDraft } from './board-shape.ts'

const id = z.object({ id: params.pathId(scopeIds.board) })

export const endpoints = [
  endpoint('GET /board/{id}', {
    summary: 'Get a board',
    needs: 'read',
    params: id,
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
    params: id,
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
