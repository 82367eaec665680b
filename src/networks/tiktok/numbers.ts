import type { Metrics, Person } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import type { TikTokCalls } from './calls.ts'
import { postIdOf, videosOf } from './outcomes.ts'
import { isForbidden, numberIn, type Row, textIn } from './refusals.ts'

export async function fetchMetrics(
  calls: TikTokCalls,
  actor: Actor,
  postIds: readonly string[],
): Promise<Map<string, Metrics>> {
  const found = new Map<string, Metrics>()
  const named = await namesOf(calls, actor, postIds)
  const ids = [...named.keys()]
  for (let from = 0; from < ids.length; from += mostIds) {
    for (const video of await videosOf(calls, actor, numbers, ids.slice(from, from + mostIds))) {
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

/** The posts by TikTok's own ids; those that it has not named have no numbers. */
async function namesOf(calls: TikTokCalls, actor: Actor, postIds: readonly string[]): Promise<Map<string, string>> {
  const named = new Map<string, string>()
  for (const postId of postIds) {
    const id = await postIdOf(calls, actor, postId)
    if (id !== undefined) named.set(id, postId)
  }
  return named
}

export async function fetchProfile(
  calls: TikTokCalls,
  actor: Actor,
): Promise<Person & { followers?: number | undefined }> {
  const data = await accountOf(calls, actor)
  return {
    id: actor.remoteId,
    name: textIn(data, 'display_name'),
    username: textIn(data, 'username'),
    picture: textIn(data, 'profile_image'),
    followers: numberIn(data, 'followers_count'),
  }
}

/** TikTok refuses the whole question for one field that was not granted. */
async function accountOf(calls: TikTokCalls, actor: Actor): Promise<Row> {
  const { scopes } = actor.secret
  const ask = (fields: string[]) => calls.get(actor, 'business/get', { fields: JSON.stringify(fields) })
  const granted = accountFields.filter(([, scope]) => scopes.length === 0 || scopes.includes(scope))
  try {
    return await ask([...always, ...granted.map(([field]) => field)])
  } catch (error) {
    if (!isForbidden(error)) throw error
    return ask(always)
  }
}

const always = ['display_name', 'profile_image']
const accountFields = [
  ['username', 'user.info.username'],
  ['followers_count', 'user.info.stats'],
] as const

const numbers = ['video_views', 'reach', 'likes', 'comments', 'shares', 'favorites']
const mostIds = 20
