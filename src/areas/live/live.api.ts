import { z } from 'zod'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import type { Stream, StreamRoute } from '#kernel/http/route/stream-route.ts'
import * as params from '#kernel/wire/params.ts'
import { done } from '#kernel/wire/replies.ts'
import type { Feeds } from './feeds.ts'
import { activities, announcePresence } from './presence.ts'

export const feed: Stream = {
  path: '/feed',
  summary: 'Stream change notifications',
  needs: 'read',
  events: {
    ready: 'The feed has started or resumed.',
    hint: 'A change notification, `{kind, id, parent, by}`: read the resource again. Without an id many of the kind changed.',
    reset: 'More may have changed than can be reported: read all displayed data again.',
    presence: 'Another user is active on a resource: `{kind, id, doing, by}`.',
  },
}

export const feedRoute = (feeds: Feeds): StreamRoute => ({
  ...feed,
  open: ({ identity, after }) => feeds.open(identity, after),
})

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
