import type { Metrics, Person } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import { writtenScopes } from '../connector/manifest.ts'
import { askList, authorization, type Calls } from './calls.ts'
import { handleOf } from './login.ts'
import { manifest } from './manifest.ts'
import type { Channel, VideoStat } from './shapes.ts'

/** A call takes so many ids. */
const idsPerCall = 50

export async function metrics(calls: Calls, actor: Actor, postIds: readonly string[]): Promise<Map<string, Metrics>> {
  const found = new Map<string, Metrics>()
  for (let from = 0; from < postIds.length; from += idsPerCall) {
    const id = postIds.slice(from, from + idsPerCall).join(',')
    const items = await statsOf(calls, actor, id)
    const shares = items.length ? await sharesOf(calls, actor, id).catch(unknownShares) : new Map<string, number>()
    for (const { id: videoId = '', statistics = {} } of items) {
      const { viewCount, likeCount, commentCount } = statistics
      const counts = { views: count(viewCount), likes: count(likeCount), comments: count(commentCount) }
      found.set(videoId, { ...counts, shares: shares.get(videoId) })
    }
  }
  return found
}

/** From the method that has a bucket of its own; a project that does not have it yet is charged as before. */
async function statsOf(calls: Calls, actor: Actor, id: string): Promise<VideoStat[]> {
  const query = { part: 'statistics', id }
  try {
    return (await askList<VideoStat>(calls, actor, 'videos.batchGetStats', query)).items
  } catch (error) {
    if (!(error instanceof NetworkError && error.remote.status === 404)) throw error
    return (await askList<VideoStat>(calls, actor, 'videos.list', query)).items
  }
}

/** The reports are another interface with limits of its own: what it refuses must not cost the other numbers. */
function unknownShares(error: unknown): Map<string, number> {
  if (error instanceof NetworkError && error.fault.kind !== 'token') return new Map()
  throw error
}

/** Shares are known to the reports only, some days late, and only where the owner has allowed to read them. */
async function sharesOf(calls: Calls, actor: Actor, ids: string): Promise<Map<string, number>> {
  const [needed = ''] = writtenScopes(manifest, ['yt-analytics.readonly'])
  if (!actor.secret.scopes.includes(needed)) return new Map()
  const { body } = await calls.http({
    method: 'GET',
    url: `${calls.app.hosts.analytics}/v2/reports`,
    headers: authorization(actor),
    holder: actor.remoteId,
    query: {
      ids: 'channel==MINE',
      metrics: 'shares',
      dimensions: 'video',
      filters: `video==${ids}`,
      startDate: firstDay,
      endDate: calls.installation.clock.now().toISOString().slice(0, 10),
    },
  })
  const { rows = [] } = (body ?? {}) as { rows?: [string, number][] }
  return new Map(rows)
}

/** No video is older. */
const firstDay = '2005-02-14'

export async function profile(calls: Calls, actor: Actor): Promise<Person & { followers?: number | undefined }> {
  const query = { part: 'snippet,statistics', mine: 'true' }
  const [channel = {}] = (await askList<Channel>(calls, actor, 'channels.list', query)).items
  const { id = actor.remoteId, snippet, statistics } = channel
  return {
    id,
    name: snippet?.title,
    username: handleOf(snippet?.customUrl),
    picture: snippet?.thumbnails?.default?.url,
    followers: statistics?.hiddenSubscriberCount ? undefined : count(statistics?.subscriberCount),
  }
}

/** Counts come as texts; what is hidden is absent, not zero. */
const count = (text?: string) => (text === undefined ? undefined : Number(text))
