import type { Metrics, Person } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import type { TikTokCalls } from './calls.ts'
import { numberIn, textIn } from './row.ts'
import { videosOf } from './videos.ts'

export async function fetchMetrics(
  calls: TikTokCalls,
  actor: Actor,
  postIds: readonly string[],
): Promise<Map<string, Metrics>> {
  const found = new Map<string, Metrics>()
  for (let from = 0; from < postIds.length; from += mostIds) {
    for (const video of await videosOf(calls, actor, numbers, postIds.slice(from, from + mostIds))) {
      found.set(textIn(video, 'item_id') ?? '', {
        views: numberIn(video, 'video_views'),
        reach: numberIn(video, 'reach'),
        likes: numberIn(video, 'likes'),
        comments: numberIn(video, 'comments'),
        shares: numberIn(video, 'shares'),
        saves: numberIn(video, 'favorites'),
      })
    }
  }
  return found
}

export async function fetchProfile(
  calls: TikTokCalls,
  actor: Actor,
): Promise<Person & { followers?: number | undefined }> {
  const fields = JSON.stringify(['username', 'display_name', 'profile_image', 'followers_count'])
  const data = await calls.get(actor, 'business/get', { fields })
  return {
    id: actor.remoteId,
    name: textIn(data, 'display_name'),
    username: textIn(data, 'username'),
    picture: textIn(data, 'profile_image'),
    followers: numberIn(data, 'followers_count'),
  }
}

const numbers = ['video_views', 'reach', 'likes', 'comments', 'shares', 'favorites']
const mostIds = 20
