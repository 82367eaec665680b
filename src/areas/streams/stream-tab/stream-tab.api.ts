import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { everything, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { streamIds } from '../declarations.ts'
import * as tabs from './stream-tab.ts'
import { StreamTab, streamTabChanges, streamTabDraft } from './stream-tab-shape.ts'

const id = z.object({ id: params.pathId(streamIds.streamTab) })

export const endpoints = [
  endpoint('GET /stream-tab', {
    summary: 'List stream tabs',
    needs: 'read',
    params: listParams({}, { count: everything, order: sortBy({ created: 'date', name: 'text' }, 'created,1') }),
    reply: list(StreamTab),
    run: tabs.search,
  }),
  endpoint('GET /stream-tab/{id}', {
    summary: 'Get a stream tab',
    needs: 'read',
    params: id,
    reply: item('StreamTab', StreamTab),
    run: tabs.get,
  }),
  endpoint('POST /stream-tab', {
    summary: 'Create a stream tab for the account',
    needs: 'contribute',
    params: streamTabDraft,
    reply: item('StreamTab', StreamTab),
    run: tabs.create,
  }),
  endpoint('POST /stream-tab/{id}', {
    summary: 'Rename a stream tab',
    needs: 'contribute',
    params: streamTabChanges,
    reply: item('StreamTab', StreamTab),
    run: tabs.update,
  }),
  endpoint('DELETE /stream-tab/{id}', {
    summary: 'Delete a stream tab and the streams on it',
    needs: 'contribute',
    params: id,
    reply: done,
    run: tabs.remove,
  }),
]
