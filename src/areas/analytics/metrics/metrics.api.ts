import { z } from 'zod'
import { publishingIds } from '#areas/publishing/declarations.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { listOf } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { followersOf } from './followers.ts'
import { FollowersOfDay, followersAsked, PostAnalytics } from './metrics-shape.ts'
import { analyticsOf } from './post-metrics.ts'

export const endpoints = [
  endpoint('GET /analytics/{id}', {
    operationId: 'getPostAnalytics',
    summary: 'Get the metrics of a post over all its profiles; -1 if a network does not provide a metric',
    needs: 'read',
    params: z.object({ id: params.pathId(publishingIds.post) }),
    reply: parts({ Stats: PostAnalytics }),
    run: analyticsOf,
  }),
  endpoint('GET /followers/{id}', {
    operationId: 'getFollowers',
    summary: 'List the followers of a social profile by day; by default the last 30 days',
    needs: 'read',
    params: followersAsked,
    reply: parts({ Data: listOf(FollowersOfDay) }),
    run: followersOf,
  }),
]
