import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { advocacyIds } from '../declarations.ts'
import { get, search } from './story-queries.ts'
import { Story, storyChanges, storyDraft, storyFilters } from './story-shape.ts'
import { create, remove, update } from './story-write.ts'

const id = z.object({ id: params.pathId(advocacyIds.story) })
const moments = { created: 'date', publishDate: 'date', expirationDate: 'date' } as const
const orders = { ...moments, shareCount: 'number', isFeatured: 'flag' } as const

export const endpoints = [
  endpoint('GET /story/{id}', {
    summary: 'Get a story with its messages and media',
    needs: 'read',
    params: id,
    reply: item('Item', Story),
    run: get,
  }),
  endpoint('GET /story', {
    summary: 'List the stories of active boards',
    needs: 'read',
    params: listParams(storyFilters, { count: upTo(100, 20), order: sortBy(orders, 'publishDate,0') }),
    reply: list(Story),
    run: search,
  }),
  endpoint('POST /story', {
    summary: 'Create a story, or a repost of a published LinkedIn post with postlogId',
    needs: 'contribute',
    params: storyDraft,
    reply: item('Item', Story),
    run: create,
  }),
  endpoint('POST /story/{id}', {
    summary: 'Update a story; omitted parameters stay unchanged',
    needs: 'contribute',
    params: storyChanges,
    reply: item('Item', Story),
    run: update,
  }),
  endpoint('DELETE /story/{id}', {
    summary: 'Delete a story; existing shares stay',
    needs: 'contribute',
    params: id,
    reply: done,
    run: remove,
  }),
]
