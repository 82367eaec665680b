import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { boolean, listOf, shape, text } from '#kernel/wire/fields.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { url } from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { mediaIds } from '../declarations.ts'
import * as assets from './asset.ts'
import { create, fetchImage } from './asset-create.ts'
import { LibraryMedia, ListedMedia, Media, mediaChanges, mediaTypes } from './asset-shape.ts'

const id = z.object({ id: params.pathId(mediaIds.media) })
const filters = {
  q: params.line({ min: 0 }).optional(),
  type: params.word(mediaTypes).optional(),
  folderId: params.idOf(mediaIds.mediaFolder, { min: 0 }).optional(),
}
const paging = { count: upTo(100, 25), order: sortBy({ created: 'date', name: 'text' }, 'created,0') }

/** These two keys are lowercase in the API. */
const Validation = shape('VideoValidation', { isValid: boolean, errors: listOf(text) })

const Validations = shape('VideoValidations', {
  Facebook: Validation,
  LinkedIn: Validation,
  Twitter: Validation,
  Instagram: Validation,
  Youtube: Validation,
})

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
    params: listParams(filters, paging),
    reply: list(ListedMedia),
    run: assets.search,
  }),
  endpoint('POST /media', {
    summary: 'Add an image from a public URL',
    needs: 'contribute',
    params: z.object({ resource: url, folderId: params.idOf(mediaIds.mediaFolder, { min: 0 }).optional() }),
    reply: item('Media', Media),
    before: fetchImage,
    run: create,
  }),
  endpoint('DELETE /media/{id}', {
    summary: 'Delete a media asset and its file',
    needs: 'contribute',
    params: id,
    reply: done,
    run: assets.remove,
  }),
  endpoint('GET /video-validate/{id}', {
    operationId: 'validateVideo',
    summary: 'Check on which networks a video can be published',
    needs: 'read',
    params: id,
    reply: item('Validations', Validations),
    run: assets.validateVideo,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /media', {
    summary: 'List assets with their dimensions and number of planned uses',
    needs: 'read',
    params: listParams(
      { ...filters, id: params.idOf(mediaIds.media, { min: 0 }).optional(), unused: params.flag.optional() },
      paging,
    ),
    reply: list(LibraryMedia),
    run: assets.listLibrary,
  }),
  // Chunks of uploads are PUT to the same path.
  appEndpoint('POST /media/{id}', {
    summary: 'Rename an asset, set its description, or move it to another folder',
    needs: 'contribute',
    params: mediaChanges,
    reply: item('Media', Media),
    run: assets.update,
  }),
]
