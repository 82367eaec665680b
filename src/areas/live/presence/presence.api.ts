import { z } from 'zod'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { done } from '#kernel/wire/replies.ts'
import { activities, announcePresence } from './presence.ts'

export const endpointsFor = (watched: readonly PresenceKind[]) => [
  appEndpoint('POST /presence', {
    operationId: 'announcePresence',
    summary: 'Report the caller’s activity on a resource to other users',
    needs: 'read',
    params: z.object({
      id: params.idOfAny(watched.map(({ reference }) => reference)),
      doing: params.choice(activities),
    }),
    reply: done,
    run: (context, input) => announcePresence(context, watched, input),
  }),
]
