import type { Metrics } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import type { Json } from '../wire/json.ts'
import { ask } from './calls.ts'
import { type Graph, listAt, numberAt, textAt } from './graph.ts'

export type Numbers = Map<string, number>
export type Insights = (actor: Actor, id: string, kind: string) => Promise<Numbers>

/**
 * Asks for a post's numbers. A name Meta knows no more, or not for this kind of post, spoils the whole call without being
 * named, so the names are then tried one by one, and those refused are not asked again.
 */
export function openInsights(graph: Graph, metrics: readonly string[]): Insights {
  const dropped = new Map<string, Set<string>>()
  return async (actor, id, kind) => {
    const names = metrics.filter((name) => !dropped.get(kind)?.has(name))
    const together = await numbersOf(graph, actor, id, names)
    if (together) return together
    const apart = await Promise.all(
      names.map(async (name) => [name, await numbersOf(graph, actor, id, [name])] as const),
    )
    // When none is taken the post is to blame and not the names.
    if (apart.some(([, numbers]) => numbers)) {
      const refused = apart.filter(([, numbers]) => !numbers).map(([name]) => name)
      dropped.set(kind, new Set([...(dropped.get(kind) ?? []), ...refused]))
    }
    return new Map(apart.flatMap(([, numbers]) => [...(numbers ?? [])]))
  }
}

/** Nothing when one of the names was refused. */
async function numbersOf(
  graph: Graph,
  actor: Actor,
  id: string,
  names: readonly string[],
): Promise<Numbers | undefined> {
  if (!names.length) return new Map()
  try {
    const query = { metric: names.join(',') }
    const answer = await ask(graph, actor, { method: 'GET', path: `${id}/insights`, query })
    return new Map(listAt(answer, 'data').flatMap(numberIn))
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

/** The numbers of posts, a few at a time; those nobody knows are left out. */
export async function readMetrics(
  postIds: readonly string[],
  read: (id: string) => Promise<Metrics | undefined>,
): Promise<Map<string, Metrics>> {
  const found = new Map<string, Metrics>()
  for (let first = 0; first < postIds.length; first += atOnce) {
    const ids = postIds.slice(first, first + atOnce)
    const numbers = await Promise.all(ids.map(read))
    for (const [index, id] of ids.entries()) {
      const known = numbers[index]
      if (known) found.set(id, known)
    }
  }
  return found
}

const atOnce = 4
