import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { everything, idFilter, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { streamIds } from '../declarations.ts'
import * as streams from './stream.ts'
import { position, Stream, streamChanges, streamDraft } from './stream-shape.ts'

export const endpoints = [
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
    params: z.object({ id: params.pathId(streamIds.stream) }),
    reply: done,
    run: streams.remove,
  }),
]
