import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { everything, idFilter, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { streamIds } from '../declarations.ts'
import * as streams from './stream.ts'
import * as items from './stream-item.ts'
import {
  position,
  Stream,
  StreamTab,
  streamChanges,
  streamContent,
  streamDraft,
  streamItemSearch,
  streamTabChanges,
  streamTabDraft,
} from './stream-shape.ts'
import * as tabs from './stream-tab.ts'

const id = z.object({ id: params.pathId(streamIds.stream) })
const tabId = z.object({ id: params.pathId(streamIds.streamTab) })

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
    params: tabId,
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
    params: tabId,
    reply: done,
    run: tabs.remove,
  }),
  endpoint('GET /stream', {
    summary: 'List streams',
    needs: 'read',
    params: listParams(
      { streamTabId: idFilter(streamIds.streamTab).optional(), position: position.optional() },
      { count: everything, order: sortBy({ position: 'number', created: 'date' }, 'position,1') },
    ),
    reply: list(Stream),
    run: streams.search,
  }),
  endpoint('POST /stream', {
    summary: 'Create a stream on a tab',
    needs: 'contribute',
    params: streamDraft,
    reply: item('Stream', Stream),
    run: streams.create,
  }),
  endpoint('POST /stream/{id}', {
    summary: 'Change the position of a stream on its tab',
    needs: 'contribute',
    params: streamChanges,
    reply: item('Stream', Stream),
    run: streams.update,
  }),
  endpoint('DELETE /stream/{id}', {
    summary: 'Delete a stream',
    needs: 'contribute',
    params: id,
    reply: done,
    run: streams.remove,
  }),
]

/** A column of the console. A request counts as viewing the stream: it is fetched for some minutes from then on. */
export const appEndpoints = [
  appEndpoint('GET /stream/{id}/items', {
    summary: 'List the items of a stream, newest first; continue with _after and a page’s Next',
    needs: 'read',
    params: streamItemSearch,
    reply: streamContent,
    run: items.list,
  }),
]
