import { z } from 'zod'
import { profileKey } from '#areas/profiles/declarations.ts'
import { stats } from '#areas/publishing/post/post-shape.ts'
import { datetime, integer, json, shape } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'

export const PostAnalytics = shape('PostAnalytics', {
  ...stats,
  /** Network-specific counters by name; missing ones are omitted. */
  EngagementsNetworkSpecific: json,
})

export const FollowersOfDay = shape('FollowersOfDay', {
  Followers: integer,
  FollowersAdded: integer,
  HistoryDate: datetime,
})

export const followersAsked = z.object({
  id: params.pathId(profileKey),
  fromDate: momentOrNone.optional(),
  toDate: momentOrNone.optional(),
})
export type FollowersAsked = z.output<typeof followersAsked>
