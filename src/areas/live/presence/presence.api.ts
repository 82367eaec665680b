import { z } from 'zod'
import type { Watched } from '#kernel/hints/hints.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { done } from '#kernel/wire/replies.ts'
import { deeds, tell } from './presence.ts'

export const endpointsFor = (watched: readonly Watched[]) => [
  appEndpoint('POST /presence', {
    operationId: 'announcePresence',
    summary: 'Report the caller’s activity on a resource to other users',
    needs: 'read',
    params: z.object({
      id: params.idOfAny(watched.map(({ reference }) => reference)),
      doing: params.choice(deeds),
    }),
    reply: done,
    run: (context, input) => tell(context, watched, input),
  }),
]
