import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import type { Intake, IntakeRoute } from '#kernel/http/route/intake-route.ts'
import type { Installation } from '#kernel/installation.ts'
import { integer, nullableText } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { item, parts } from '#kernel/wire/replies.ts'
import { mediaIds } from '../declarations.ts'
import { Upload } from '../upload/upload-shape.ts'
import * as direct from './direct-upload.ts'

export const endpoints = [
  appEndpoint('POST /media', {
    summary: 'Start an upload; send its bytes with PUT /app/api/media/{id}?offset=',
    needs: 'contribute',
    params: z.object({
      name: params.line(),
      size: params.count(1, direct.largestFile),
      mimeType: params.line({ min: 0 }).optional(),
      folderId: params.idOf(mediaIds.mediaFolder, { min: 0 }).optional(),
    }),
    reply: item('Upload', Upload),
    run: direct.begin,
  }),
  appEndpoint('GET /media/{id}', {
    summary: 'Get the progress of an upload; Downloaded is the offset to resume from',
    needs: 'read',
    params: z.object({ id: params.pathId(mediaIds.upload) }),
    reply: item('Upload', Upload),
    run: direct.get,
  }),
]

/** Accepts a chunk at its offset; the last one creates the asset. */
export const piece: Intake = {
  path: '/media/{id}',
  summary: 'Upload the next chunk of a file; the last one creates the asset',
  operationId: 'sendMediaPiece',
  needs: 'contribute',
  params: z.object({ id: params.pathId(mediaIds.upload), offset: params.count(0, direct.largestFile) }),
  maximumBytes: 8 * 1024 * 1024,
  reply: parts({ Offset: integer, MediaId: nullableText }),
}

export const intake = (installation: Installation): IntakeRoute => ({
  ...piece,
  run: ({ identity, visitor, parts: { id = '' }, query, read }) =>
    direct.add(installation, { ...identity, visitor }, { id, offset: query.get('offset') ?? '', read }),
})
