import type { Activity, Page, StreamQuery } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { unsupported } from '../connector/fault.ts'
import { listAt, textAt } from '../graph/answer.ts'
import type { Graph } from '../graph/graph.ts'
import { readList, readSeveral } from '../graph/listing.ts'
import { isNever } from '../graph/refusals.ts'
import type { Json } from '../wire/json.ts'
import { commentActivities, commentFields, mediaFields, postActivity, tagActivity } from './activities.ts'

export async function fetchStream(
  graph: Graph,
  actor: Actor,
  { type }: StreamQuery,
  cursor?: string,
): Promise<Page<Activity>> {
  if (type === 'page.tags') return readTags(graph, actor, cursor)
  if (type !== 'page') throw unsupported('Instagram', `Instagram has no stream of the type ${type}.`)
  const list = { path: `${actor.remoteId}/media`, fields: mediaFields }
  return readList(graph, actor, list, (row) => postActivity(actor, row), cursor)
}

export function fetchComments(graph: Graph, actor: Actor, postId: string, cursor?: string): Promise<Page<Activity>> {
  const list = { path: `${postId}/comments`, fields: commentFields }
  return readList(graph, actor, list, (row) => commentActivities(actor, postId, row), cursor)
}

/** Comments under the newest posts, and posts that name the account; direct messages are not read. */
export function fetchInbox(graph: Graph, actor: Actor, cursor?: string): Promise<Page<Activity>> {
  const posts = { path: `${actor.remoteId}/media`, fields: `id,comments.limit(50){${commentFields}}` }
  return readSeveral(
    'Instagram',
    {
      comments: (after) => readList(graph, actor, posts, (row) => commentsIn(actor, row), after),
      mentions: (after) => readTags(graph, actor, after).catch(noTags),
    },
    cursor,
  )
}

function readTags(graph: Graph, actor: Actor, cursor?: string): Promise<Page<Activity>> {
  const list = { path: `${actor.remoteId}/tags`, fields: mediaFields }
  return readList(graph, actor, list, (row) => tagActivity(actor, row), cursor)
}

/** Not every login may list them; the comments shall come all the same. */
function noTags(error: unknown): Page<Activity> {
  if (isNever(error, 'permission', 'input', 'gone')) return { items: [] }
  throw error
}

function commentsIn(actor: Actor, post: Json): Activity[] {
  const postId = textAt(post, 'id') ?? ''
  return listAt(post, 'comments', 'data').flatMap((row) => commentActivities(actor, postId, row))
}
