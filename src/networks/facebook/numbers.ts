import type { Metrics, Person } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { ask, isNever } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { numberAt, textAt } from '../graph/graph.ts'
import type { Insights } from '../graph/insights.ts'

/** Meta takes names off this list from time to time. */
export const postMetrics = ['post_media_view', 'post_total_media_view_unique', 'post_clicks']

export async function metricsOf(
  graph: Graph,
  insights: Insights,
  actor: Actor,
  id: string,
): Promise<Metrics | undefined> {
  const fields = 'shares,reactions.limit(0).summary(true),comments.limit(0).summary(true)'
  try {
    const counts = await ask(graph, actor, { method: 'GET', path: id, query: { fields } })
    const numbers = await insights(actor, id, 'post')
    const views = numbers.get('post_media_view')
    return {
      // Meta counts views where it used to count impressions.
      impressions: views,
      views,
      reach: numbers.get('post_total_media_view_unique'),
      clicks: numbers.get('post_clicks'),
      likes: numberAt(counts, 'reactions', 'summary', 'total_count'),
      comments: numberAt(counts, 'comments', 'summary', 'total_count'),
      shares: numberAt(counts, 'shares', 'count') ?? 0,
    }
  } catch (error) {
    if (isNever(error, 'gone')) return undefined
    throw error
  }
}

export async function profile(graph: Graph, actor: Actor): Promise<Person & { followers?: number | undefined }> {
  const fields = 'id,name,username,picture{url},followers_count,fan_count'
  const answer = await ask(graph, actor, { method: 'GET', path: actor.remoteId, query: { fields } })
  return {
    id: textAt(answer, 'id') ?? actor.remoteId,
    name: textAt(answer, 'name'),
    username: textAt(answer, 'username'),
    picture: textAt(answer, 'picture', 'data', 'url'),
    followers: numberAt(answer, 'followers_count') ?? numberAt(answer, 'fan_count'),
  }
}
