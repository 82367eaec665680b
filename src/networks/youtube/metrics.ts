import type { Actor, Metrics, Person } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import { networkScopes } from '../connector/manifest.ts'
import type { Channel, VideoStat } from './client.ts'
import { authorization, requestList, type YouTubeClient } from './client.ts'
import { handleOf } from './login.ts'
import { manifest } from './manifest.ts'

const idsPerCall = 50

export async function metrics(
  client: YouTubeClient,
  actor: Actor,
  postIds: readonly string[],
): Promise<Map<string, Metrics>> {
  const found = new Map<string, Metrics>()
  for (let from = 0; from < postIds.length; from += idsPerCall) {
    const id = postIds.slice(from, from + idsPerCall).join(',')
    const items = await statsOf(client, actor, id)
    const shares = items.length ? await sharesOf(client, actor, id).catch(unknownShares) : new Map<string, number>()
    for (const { id: videoId = '', statistics = {} } of items) {
      const { viewCount, likeCount, commentCount } = statistics
      const counts = { views: count(viewCount), likes: count(likeCount), comments: count(commentCount) }
      found.set(videoId, { ...counts, shares: shares.get(videoId) })
    }
  }
  return found
}

/** Uses the method with its own quota; projects that don't have it yet are charged as before. */
async function statsOf(client: YouTubeClient, actor: Actor, id: string): Promise<VideoStat[]> {
  const query = { part: 'statistics', id }
  try {
    return (await requestList<VideoStat>(client, actor, 'videos.batchGetStats', query)).items
  } catch (error) {
    if (!(error instanceof NetworkError && error.remote.status === 404)) throw error
    return (await requestList<VideoStat>(client, actor, 'videos.list', query)).items
  }
}

/** Reports are a separate API with its own limits: its errors must not affect the other metrics. */
function unknownShares(error: unknown): Map<string, number> {
  if (error instanceof NetworkError && error.fault.kind !== 'token') return new Map()
  throw error
}

/** Only reports contain shares, some days late, and only if the owner granted access to them. */
async function sharesOf(client: YouTubeClient, actor: Actor, ids: string): Promise<Map<string, number>> {
  const [needed = ''] = networkScopes(manifest, ['yt-analytics.readonly'])
  if (!actor.secret.scopes.includes(needed)) return new Map()
  const { body } = await client.http({
    method: 'GET',
    url: `${client.app.hosts.analytics}/v2/reports`,
    headers: authorization(actor),
    holder: actor.remoteId,
    query: {
      ids: 'channel==MINE',
      metrics: 'shares',
      dimensions: 'video',
      filters: `video==${ids}`,
      startDate: firstDay,
      endDate: client.installation.clock.now().toISOString().slice(0, 10),
    },
  })
  const { rows = [] } = (body ?? {}) as { rows?: [string, number][] }
  return new Map(rows)
}

/** No video is older. */
const firstDay = '2005-02-14'

export async function profile(
  client: YouTubeClient,
  actor: Actor,
): Promise<Person & { followers?: number | undefined }> {
  const query = { part: 'snippet,statistics', mine: 'true' }
  const [channel = {}] = (await requestList<Channel>(client, actor, 'channels.list', query)).items
  const { id = actor.remoteId, snippet, statistics } = channel
  return {
    id,
    name: snippet?.title,
    username: handleOf(snippet?.customUrl),
    picture: snippet?.thumbnails?.default?.url,
    followers: statistics?.hiddenSubscriberCount ? undefined : count(statistics?.subscriberCount),
  }
}

/** Counts are strings; hidden ones are missing, not zero. */
const count = (text?: string) => (text === undefined ? undefined : Number(text))
