import { z } from 'zod'
import { appEndpoint } from '#kernel/http/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { item } from '#kernel/wire/replies.ts'
import { urlOrNone } from '#kernel/wire/url-params.ts'
import * as care from './postlog-care.ts'
import { Postlog } from './postlog-shape.ts'

export const endpoints = [
  appEndpoint('POST /postlog/{id}/mark-sent', {
    summary: 'Say that a post which counts as failed is on the network after all',
    needs: 'approve',
    params: z.object({
      id: params.pathId('postlog'),
      remoteId: params.line({ min: 0 }).optional(),
      remoteUrl: urlOrNone.optional(),
    }),
    reply: item('Postlog', Postlog),
    run: care.markSent,
  }),
  appEndpoint('POST /postlog/{id}/send-again', {
    summary: 'Send what failed once more',
    needs: 'approve',
    params: z.object({ id: params.pathId('postlog') }),
    reply: item('Postlog', Postlog),
    run: care.sendAgain,
  }),
]
