import type { Activity, Page, StreamQuery } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { unsupported } from '../connector/fault.ts'
import { listAt, textAt } from '../graph/answer.ts'
import type { Graph } from '../graph/graph.ts'
import { readList, readSeveral } from '../graph/listing.ts'
import type { Json } from '../wire/json.ts'
import {
  commentActivity,
  commentFields,
  mentionActivity,
  messageActivity,
  messageFields,
  postActivity,
  postFields,
} from './activities.ts'

export async function fetchStream(
  graph: Graph,
  actor: Actor,
  { type }: StreamQuery,
  cursor?: string,
): Promise<Page<Activity>> {
  const { remoteId } = actor
  if (type === 'ownpage') {
    const list = { path: `${remoteId}/posts`, fields: postFields }
    return readList(graph, actor, list, (row) => postActivity(actor, row), cursor)
  }
  if (type === 'tag') return readTagged(graph, actor, cursor)
  throw unsupported('Facebook', `Facebook has no stream of the type ${type}.`)
}

export function fetchComments(graph: Graph, actor: Actor, postId: string, cursor?: string): Promise<Page<Activity>> {
  const list = { path: `${postId}/comments`, fields: commentFields, query: newestOfAll }
  return readList(graph, actor, list, (row) => commentActivity(actor, postId, row), cursor)
}

/** One call for each kind and page: posts with their comments, mentions, threads with their messages. */
export function fetchInbox(graph: Graph, actor: Actor, cursor?: string): Promise<Page<Activity>> {
  const posts = {
    path: `${actor.remoteId}/posts`,
    fields: `id,comments.filter(stream).order(reverse_chronological).limit(50){${commentFields}}`,
  }
  const threads = {
    path: `${actor.remoteId}/conversations`,
    fields: `id,updated_time,participants,messages.limit(20){${messageFields}}`,
    query: { platform: 'messenger', limit: 10 },
  }
  return readSeveral(
    'Facebook',
    {
      comments: (after) => readList(graph, actor, posts, (row) => commentsIn(actor, row), after),
      mentions: (after) => readTagged(graph, actor, after),
      messages: (after) => readList(graph, actor, threads, (row) => messagesIn(actor, row), after),
    },
    cursor,
  )
}

export const newestOfAll = { filter: 'stream', order: 'reverse_chronological' }

function readTagged(graph: Graph, actor: Actor, cursor?: string): Promise<Page<Activity>> {
  const list = { path: `${actor.remoteId}/tagged`, fields: `${postFields},tagged_time` }
  return readList(graph, actor, list, (row) => mentionActivity(actor, row), cursor)
}

function commentsIn(actor: Actor, post: Json): Activity[] {
  const postId = textAt(post, 'id') ?? ''
  return listAt(post, 'comments', 'data').flatMap((row) => commentActivity(actor, postId, row))
}

function messagesIn(actor: Actor, thread: Json): Activity[] {
  const sides = listAt(thread, 'participants', 'data').map((side) => textAt(side, 'id'))
  const other = sides.find((id) => id !== actor.remoteId) ?? ''
  return listAt(thread, 'messages', 'data').flatMap((row) => messageActivity(actor, other, row))
}
