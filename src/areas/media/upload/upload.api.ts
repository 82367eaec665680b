import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { url } from '#kernel/wire/params.ts'
import { item, list } from '#kernel/wire/replies.ts'
import { mediaIds } from '../declarations.ts'
import * as uploads from './upload.ts'
import { sourceHead, start } from './upload.ts'
import { statuses, Upload } from './upload-shape.ts'

const id = z.object({ id: params.pathId(mediaIds.upload) })

export const endpoints = [
  endpoint('GET /upload/{id}', {
    summary: 'Get an upload and its progress',
    needs: 'read',
    params: id,
    reply: item('Upload', Upload),
    run: uploads.get,
  }),
  endpoint('GET /upload', {
    summary: 'List uploads',
    needs: 'read',
    params: listParams(
      { status: params.word(statuses).optional(), source: params.line({ min: 0, max: 2048 }).optional() },
      { count: upTo(100, 20), order: sortBy({ created: 'date' }, 'created,0') },
    ),
    reply: list(Upload),
    run: uploads.search,
  }),
  endpoint('POST /upload', {
    summary: 'Upload a file from a public URL in the background',
    needs: 'contribute',
    params: z.object({
      source: url,
      name: params.line().optional(),
      mimeType: params
        .word(['video/mp4', 'image/gif', 'image/png', 'image/jpeg', 'application/pdf'], { 'image/jpg': 'image/jpeg' })
        .optional(),
      folderId: params.idOf(mediaIds.mediaFolder, { min: 0 }).optional(),
    }),
    reply: item('Upload', Upload),
    before: sourceHead,
    run: start,
  }),
]
