import type { Activity, Page } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { badInput } from '../connector/fault.ts'
import type { Network } from '../manifests.ts'
import { type Json, readJson } from '../wire/json.ts'
import { ask } from './calls.ts'
import type { Graph } from './graph.ts'
import { at, listAt, textAt } from './graph.ts'

/** Where the next page of a list begins. */
export const nextOf = (answer: Json): string | undefined =>
  at(answer, 'paging', 'next') === undefined ? undefined : textAt(answer, 'paging', 'cursors', 'after')

export interface List {
  path: string
  fields: string
  query?: { readonly [name: string]: string | number | undefined }
}

/** One page of a list, each row read as what it tells. */
export async function readList(
  graph: Graph,
  actor: Actor,
  { path, fields, query }: List,
  read: (row: Json) => Activity[],
  after?: string,
): Promise<Page<Activity>> {
  const answer = await ask(graph, actor, { method: 'GET', path, query: { limit: 25, ...query, fields, after } })
  return { items: listAt(answer, 'data').flatMap(read), cursor: nextOf(answer) }
}

type Reader = (after?: string) => Promise<Page<Activity>>

/** Pages through several lists at once: every page asks each list that has not ended, and is newest first. */
export async function readSeveral(
  network: Network,
  readers: { [name: string]: Reader },
  cursor?: string,
): Promise<Page<Activity>> {
  const places = cursor === undefined ? undefined : readCursor(network, cursor)
  const names = Object.keys(readers).filter((name) => !places || at(places, name) !== undefined)
  const pages = await Promise.all(names.map((name) => readers[name]?.(textAt(places, name))))
  const next = names.flatMap((name, index) => {
    const place = pages[index]?.cursor
    return place === undefined ? [] : [[name, place] as const]
  })
  const items = pages.flatMap((page) => page?.items ?? []).sort((one, other) => other.at.getTime() - one.at.getTime())
  return { items, cursor: next.length ? writeCursor(next) : undefined }
}

const writeCursor = (places: (readonly [string, string])[]) =>
  Buffer.from(JSON.stringify(Object.fromEntries(places))).toString('base64url')

function readCursor(network: Network, cursor: string): Json {
  const places = readJson(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (places === undefined || typeof places !== 'object')
    throw badInput(network, 'This cursor cannot be read.', 'cursor')
  return places
}
