import type { Actor, Metrics, Person } from '../connector/connector.ts'
import type { TikTokClient } from './client.ts'
import { isForbidden, numberIn, type Row, textIn } from './client.ts'
import { postIdOf, videosOf } from './outcomes.ts'

export async function fetchMetrics(
  client: TikTokClient,
  actor: Actor,
  postIds: readonly string[],
): Promise<Map<string, Metrics>> {
  const found = new Map<string, Metrics>()
  const named = await namesOf(client, actor, postIds)
  const ids = [...named.keys()]
  for (let from = 0; from < ids.length; from += maximumIds) {
    for (const video of await videosOf(client, actor, metricFields, ids.slice(from, from + maximumIds))) {
      const id = textIn(video, 'item_id') ?? ''
      found.set(named.get(id) ?? id, {
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

/** TikTok's own ids of the posts; posts without one have no metrics. */
async function namesOf(client: TikTokClient, actor: Actor, postIds: readonly string[]): Promise<Map<string, string>> {
  const named = new Map<string, string>()
  for (const postId of postIds) {
    const id = await postIdOf(client, actor, postId)
    if (id !== undefined) named.set(id, postId)
  }
  return named
}

export async function fetchProfile(
  client: TikTokClient,
  actor: Actor,
): Promise<Person & { followers?: number | undefined }> {
  const data = await accountOf(client, actor)
  return {
    id: actor.remoteId,
    name: textIn(data, 'display_name'),
    username: textIn(data, 'username'),
    picture: textIn(data, 'profile_image'),
    followers: numberIn(data, 'followers_count'),
  }
}

/** TikTok rejects the whole request for one field that wasn't granted. */
async function accountOf(client: TikTokClient, actor: Actor): Promise<Row> {
  const { scopes } = actor.secret
  const request = (fields: string[]) => client.get(actor, 'business/get', { fields: JSON.stringify(fields) })
  const granted = accountFields.filter(([, scope]) => scopes.length === 0 || scopes.includes(scope))
  try {
    return await request([...always, ...granted.map(([field]) => field)])
  } catch (error) {
    if (!isForbidden(error)) throw error
    return request(always)
  }
}

const always = ['display_name', 'profile_image']
const accountFields = [
  ['username', 'user.info.username'],
  ['followers_count', 'user.info.stats'],
] as const

const metricFields = ['video_views', 'reach', 'likes', 'comments', 'shares', 'favorites']
const maximumIds = 20
