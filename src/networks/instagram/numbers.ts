import type { Metrics, Person } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { ask, isNever } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { numberAt, textAt } from '../graph/graph.ts'
import type { Insights } from '../graph/insights.ts'

/** Meta takes names off this list from time to time; likes and comments are counted on the post itself. */
export const mediaMetrics = ['views', 'reach', 'saved', 'shares']

export async function metricsOf(
  graph: Graph,
  insights: Insights,
  actor: Actor,
  id: string,
): Promise<Metrics | undefined> {
  const fields = 'like_count,comments_count,media_product_type'
  try {
    const counts = await ask(graph, actor, { method: 'GET', path: id, query: { fields } })
    const numbers = await insights(actor, id, textAt(counts, 'media_product_type') ?? 'FEED')
    const views = numbers.get('views')
    return {
      // Meta counts views where it used to count impressions.
      impressions: views,
      views,
      reach: numbers.get('reach'),
      saves: numbers.get('saved'),
      shares: numbers.get('shares'),
      likes: numberAt(counts, 'like_count'),
      comments: numberAt(counts, 'comments_count'),
    }
  } catch (error) {
    if (isNever(error, 'gone')) return undefined
    throw error
  }
}

export async function profile(graph: Graph, actor: Actor): Promise<Person & { followers?: number | undefined }> {
  const fields = 'id,username,name,profile_picture_url,followers_count'
  const answer = await ask(graph, actor, { method: 'GET', path: actor.remoteId, query: { fields } })
  return {
    id: actor.remoteId,
    name: textAt(answer, 'name'),
    username: textAt(answer, 'username'),
    picture: textAt(answer, 'profile_picture_url'),
    followers: numberAt(answer, 'followers_count'),
  }
}
