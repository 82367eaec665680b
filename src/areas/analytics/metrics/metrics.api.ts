import { z } from 'zod'
import { profileKey } from '#areas/profiles/declarations.ts'
import { publishingIds } from '#areas/publishing/declarations.ts'
import { stats } from '#areas/publishing/post/post-shape.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, integer, json, listOf, shape } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { analyticsOf } from './post-metrics.ts'
import { followersOf } from './profile-metrics.ts'

const PostAnalytics = shape('PostAnalytics', {
  ...stats,
  /** Network-specific counters by name; missing ones are omitted. */
  EngagementsNetworkSpecific: json,
})

const FollowersOfDay = shape('FollowersOfDay', {
  Followers: integer,
  FollowersAdded: integer,
  HistoryDate: datetime,
})

const followersParams = z.object({
  id: params.pathId(profileKey),
  fromDate: momentOrNone.optional(),
  toDate: momentOrNone.optional(),
})

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
    params: followersParams,
    reply: parts({ Data: listOf(FollowersOfDay) }),
    run: followersOf,
  }),
]
