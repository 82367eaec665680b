import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { url } from '#kernel/wire/url-params.ts'
import * as assets from './asset.ts'
import { create, fetchPicture } from './asset-from-url.ts'
import { ListedMedia, Media, mediaTypes } from './asset-shape.ts'

const id = z.object({ id: params.pathId('media') })

export const endpoints = [
  endpoint('GET /media/{id}', {
    summary: 'Get a media asset',
    needs: 'read',
    params: id,
    reply: item('Media', Media),
    run: assets.get,
  }),
  endpoint('GET /media', {
    summary: 'List media assets',
    needs: 'read',
    params: listParams(
      {
        q: params.line({ min: 0 }).optional(),
        type: params.word(mediaTypes).optional(),
        folderId: params.idOf('mediaFolder', { min: 0 }).optional(),
      },
      { count: upTo(100, 25), order: sortBy({ created: 'date', name: 'text' }, 'created,0') },
    ),
    reply: list(ListedMedia),
    run: assets.search,
  }),
  endpoint('POST /media', {
    summary: 'Add an image by its public address',
    needs: 'contribute',
    params: z.object({ resource: url, folderId: params.idOf('mediaFolder', { min: 0 }).optional() }),
    reply: item('Media', Media),
    before: fetchPicture,
    run: create,
  }),
  endpoint('DELETE /media/{id}', {
    summary: 'Delete a media asset and its file',
    needs: 'contribute',
    params: id,
    reply: done,
    run: assets.remove,
  }),
]
