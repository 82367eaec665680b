import type { Actor, Metrics } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import type { Json } from '../http/json.ts'
import { request } from './client.ts'
import { type Graph, listAt, numberAt, textAt } from './graph.ts'

export type MetricValues = Map<string, number>
export type Insights = (actor: Actor, id: string, kind: string) => Promise<MetricValues>

/**
 * Reads metrics of a post. A metric that Meta no longer knows, or not for this kind of post, fails the whole request without being
 * named, so metrics are then tried one by one, and rejected ones are not requested again.
 */
export function openInsights(graph: Graph, metrics: readonly string[]): Insights {
  const dropped = new Map<string, Set<string>>()
  return async (actor, id, kind) => {
    const names = metrics.filter((name) => !dropped.get(kind)?.has(name))
    const together = await readValues(graph, actor, id, names)
    if (together) return together
    const apart = await Promise.all(
      names.map(async (name) => [name, await readValues(graph, actor, id, [name])] as const),
    )
    // If all are rejected, the post is the cause and not the metrics.
    if (apart.some(([, numbers]) => numbers)) {
      const refused = apart.filter(([, numbers]) => !numbers).map(([name]) => name)
      dropped.set(kind, new Set([...(dropped.get(kind) ?? []), ...refused]))
    }
    return new Map(apart.flatMap(([, numbers]) => [...(numbers ?? [])]))
  }
}

/** Undefined if one of the names was rejected. */
async function readValues(
  graph: Graph,
  actor: Actor,
  id: string,
  names: readonly string[],
): Promise<MetricValues | undefined> {
  if (!names.length) return new Map()
  try {
    const query = { metric: names.join(',') }
    const response = await request(graph, actor, { method: 'GET', path: `${id}/insights`, query })
    return new Map(listAt(response, 'data').flatMap(numberIn))
  } catch (error) {
    if (error instanceof NetworkError && error.remote.code === '100' && error.remote.subcode !== '33') return undefined
    throw error
  }
}

function numberIn(row: Json): [string, number][] {
  const name = textAt(row, 'name')
  const value = numberAt(listAt(row, 'values')[0], 'value') ?? numberAt(row, 'total_value', 'value')
  return name === undefined || value === undefined ? [] : [[name, value]]
}

/** Metrics of posts, a few at a time; unknown posts are omitted. */
export async function readMetrics(
  postIds: readonly string[],
  read: (id: string) => Promise<Metrics | undefined>,
): Promise<Map<string, Metrics>> {
  const found = new Map<string, Metrics>()
  for (let first = 0; first < postIds.length; first += batchSize) {
    const ids = postIds.slice(first, first + batchSize)
    const numbers = await Promise.all(ids.map(read))
    for (const [index, id] of ids.entries()) {
      const known = numbers[index]
      if (known) found.set(id, known)
    }
  }
  return found
}

const batchSize = 4
