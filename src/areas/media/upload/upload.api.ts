import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import type { Intake, IntakeRoute } from '#kernel/http/route/intake-route.ts'
import type { Installation } from '#kernel/installation.ts'
import { choice, datetime, integer, nullableText, shape, text } from '#kernel/wire/fields.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { url } from '#kernel/wire/params.ts'
import { item, list, parts } from '#kernel/wire/replies.ts'
import { mediaIds } from '../declarations.ts'
import * as direct from './direct-upload.ts'
import * as uploads from './upload.ts'
import { largestFile } from './upload.ts'
import { sourceHead, start } from './url-upload.ts'

const statuses = ['pending', 'failed', 'complete'] as const

const Upload = shape('Upload', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  CreatedBy: text,
  Status: choice(statuses),
  Name: text,
  MimeType: text,
  TotalSize: integer,
  Downloaded: integer,
  Source: text,
  LastError: nullableText,
  Attempts: integer,
  MediaId: nullableText,
})

const id = z.object({ id: params.pathId(mediaIds.upload) })
const folderId = params.idOf(mediaIds.mediaFolder, { min: 0 }).optional()

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
      folderId,
    }),
    reply: item('Upload', Upload),
    before: sourceHead,
    run: start,
  }),
]

/** Uploads from a browser, in chunks. */
export const appEndpoints = [
  appEndpoint('POST /media', {
    summary: 'Start an upload; send its bytes with PUT /app/api/media/{id}?offset=',
    needs: 'contribute',
    params: z.object({
      name: params.line(),
      size: params.count(1, largestFile),
      mimeType: params.line({ min: 0 }).optional(),
      folderId,
    }),
    reply: item('Upload', Upload),
    run: direct.begin,
  }),
  appEndpoint('GET /media/{id}', {
    summary: 'Get the progress of an upload; Downloaded is the offset to resume from',
    needs: 'read',
    params: id,
    reply: item('Upload', Upload),
    run: direct.get,
  }),
]

/** Accepts a chunk at its offset; the last one creates the asset. */
export const chunk: Intake = {
  path: '/media/{id}',
  summary: 'Upload the next chunk of a file; the last one creates the asset',
  operationId: 'sendMediaPiece',
  needs: 'contribute',
  params: z.object({ id: params.pathId(mediaIds.upload), offset: params.count(0, largestFile) }),
  maximumBytes: 8 * 1024 * 1024,
  reply: parts({ Offset: integer, MediaId: nullableText }),
}

export const chunkRoute = (installation: Installation): IntakeRoute => ({
  ...chunk,
  run: ({ identity, visitor, parts: { id = '' }, query, read }) =>
    direct.add(installation, { ...identity, visitor }, { id, offset: query.get('offset') ?? '', read }),
})
