import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { urlOrNone } from '#kernel/wire/params.ts'
import { item } from '#kernel/wire/replies.ts'
import { publishingIds } from '../declarations.ts'
import { repair } from './postlog-repair.ts'
import { Postlog } from './postlog-shape.ts'

export const endpoints = [
  appEndpoint('POST /postlog/{id}/repair', {
    summary: 'Mark a failed or unconfirmed post as sent, or send it again',
    needs: 'approve',
    params: z.object({
      id: params.pathId(publishingIds.postlog),
      action: params.choice(['mark-sent', 'send-again']),
      remoteId: params.line({ min: 0 }).optional(),
      remoteUrl: urlOrNone.optional(),
    }),
    reply: item('Postlog', Postlog),
    run: repair,
  }),
]
