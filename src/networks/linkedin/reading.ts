import type { Activity, Page, StreamQuery } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { badInput, unsupported } from '../connector/fault.ts'
import { type Json, readJson } from '../wire/json.ts'
import { commentActivity, commentUrnOf, postActivity } from './activities.ts'
import { type Calls, type Listed, list } from './calls.ts'
import { peopleOf } from './directory.ts'
import { encoded, numberAt, textsAt, urnOf } from './fields.ts'

/** The own posts, newest first: LinkedIn's only stream. */
export async function fetchStream(
  calls: Calls,
  actor: Actor,
  query: StreamQuery,
  cursor?: string,
): Promise<Page<Activity>> {
  if (query.type !== 'page') throw unsupported('LinkedIn', `LinkedIn has no stream “${query.type}”.`)
  const start = numberAt(readCursor(cursor), 'start')
  const path = `/rest/posts?q=author&author=${encoded(urnOf(actor))}&sortBy=CREATED`
  const { elements, next } = await list(calls, actor, path, { start, count: 20 })
  const items = elements.map((post) => postActivity(calls.app, actor, post))
  return { items, cursor: next === undefined ? undefined : cursorOf({ start: next }) }
}

/** The comments under the post, page by page, each followed by the answers to them, some threads to a page. */
export async function fetchComments(
  calls: Calls,
  actor: Actor,
  postId: string,
  cursor?: string,
): Promise<Page<Activity>> {
  const place = readCursor(cursor)
  const start = numberAt(place, 'start')
  const waiting = textsAt(place, 'threads')
  const { comments, threads, next } = waiting.length
    ? {
        comments: await answersTo(calls, actor, waiting.slice(0, threadsPerPage)),
        next: start,
        threads: waiting.slice(threadsPerPage),
      }
    : await commentsUnder(calls, actor, postId, start)
  const items = comments.map((comment) => commentActivity(calls.app, actor, postId, comment))
  const more = next !== undefined || threads.length > 0
  return {
    items: await named(calls, actor, items),
    cursor: more ? cursorOf({ ...(next !== undefined && { start: next }), threads }) : undefined,
  }
}

async function commentsUnder(calls: Calls, actor: Actor, postId: string, start: number | undefined) {
  const { elements: comments, next } = await list(calls, actor, commentsPath(postId), { start, count: 20 })
  return { comments, next, threads: comments.filter(isAnswered).map(commentUrnOf) }
}

async function answersTo(calls: Calls, actor: Actor, threads: readonly string[]): Promise<Json[]> {
  const answers: Json[] = []
  for (const thread of threads) {
    for (let start: number | undefined = 0; start !== undefined; ) {
      const page: Listed = await list(calls, actor, commentsPath(thread), { start, count: 100 })
      answers.push(...page.elements)
      start = page.next
    }
  }
  return answers
}

const commentsPath = (urn: string) => `/rest/socialActions/${encoded(urn)}/comments`

/** With the names of the people, as far as LinkedIn tells them. */
export async function named(calls: Calls, actor: Actor, items: Activity[]): Promise<Activity[]> {
  const nameless = items.flatMap(({ from }) => (from && from.name === undefined ? [from.id] : []))
  const people = await peopleOf(
    calls,
    actor,
    nameless.filter((id) => id !== actor.remoteId),
  )
  return items.map((item) => (item.from ? { ...item, from: { ...people.get(item.from.id), ...item.from } } : item))
}

const isAnswered = (comment: Json) =>
  (numberAt(comment, 'commentsSummary', 'totalFirstLevelComments') ??
    numberAt(comment, 'commentsSummary', 'aggregatedTotalComments') ??
    0) > 0

export const cursorOf = (place: { [name: string]: Json }) => JSON.stringify(place)

export function readCursor(cursor: string | undefined): Json | undefined {
  if (cursor === undefined) return undefined
  const place = readJson(cursor)
  if (place === null || typeof place !== 'object')
    throw badInput('LinkedIn', 'This page cannot be continued.', 'cursor')
  return place
}

const threadsPerPage = 5
