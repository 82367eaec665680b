import type { Activity, Page, Person, StreamQuery } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { unsupported } from '../connector/fault.ts'
import { at, type Graph, listAt, textAt, timeAt } from '../graph/graph.ts'
import { readList, readSeveral } from '../graph/listing.ts'
import type { Json } from '../wire/json.ts'

const postFields = 'id,message,from,created_time,permalink_url,full_picture'
const commentFields = 'id,message,from,created_time,parent{id},attachment,permalink_url'
export const messageFields = 'id,message,from,to,created_time,attachments'

/** The same comment is named with the post's or with the picture's number before its own. */
export const commentKey = (id: string) => `comment:${id.split('_').at(-1)}`
export const postKey = (id: string) => `post:${id}`
export const mentionKey = (id: string) => `mention:${id}`
export const messageKey = (id: string) => `message:${id}`

const postActivity = (actor: Actor, raw: Json) => said(actor, 'post', postKey, raw)
const mentionActivity = (actor: Actor, raw: Json) => said(actor, 'mention', mentionKey, raw)

function said(
  { remoteId: actorRemoteId }: Actor,
  kind: 'post' | 'mention',
  key: (id: string) => string,
  raw: Json,
): Activity[] {
  const remoteId = textAt(raw, 'id')
  if (remoteId === undefined) return []
  return [
    {
      dedupeKey: key(remoteId),
      kind,
      actorRemoteId,
      remoteId,
      postId: remoteId,
      from: personIn(at(raw, 'from')),
      text: textAt(raw, 'message'),
      media: some(textAt(raw, 'full_picture')),
      url: textAt(raw, 'permalink_url'),
      at: timeAt(raw, 'created_time') ?? timeAt(raw, 'tagged_time') ?? new Date(0),
      raw,
    },
  ]
}

export function commentActivity({ remoteId: actorRemoteId }: Actor, postId: string, raw: Json): Activity[] {
  const remoteId = textAt(raw, 'id')
  if (remoteId === undefined) return []
  const from = personIn(at(raw, 'from'))
  const parentCommentId = textAt(raw, 'parent', 'id')
  return [
    {
      dedupeKey: commentKey(remoteId),
      kind: from?.id === actorRemoteId ? 'echo' : parentCommentId === undefined ? 'comment' : 'reply',
      actorRemoteId,
      remoteId,
      postId,
      parentCommentId,
      from,
      text: textAt(raw, 'message'),
      media: some(textAt(raw, 'attachment', 'media', 'source') ?? textAt(raw, 'attachment', 'media', 'image', 'src')),
      url: textAt(raw, 'permalink_url'),
      at: timeAt(raw, 'created_time') ?? new Date(0),
      raw,
    },
  ]
}

/** Pushes know no thread but only the two sides, so the other side's id names the thread everywhere. */
function messageActivity({ remoteId: actorRemoteId }: Actor, threadId: string, raw: Json): Activity[] {
  const remoteId = textAt(raw, 'id')
  if (remoteId === undefined) return []
  const from = personIn(at(raw, 'from'))
  const files = listAt(raw, 'attachments', 'data').flatMap(
    (file) => textAt(file, 'image_data', 'url') ?? textAt(file, 'video_data', 'url') ?? textAt(file, 'file_url') ?? [],
  )
  return [
    {
      dedupeKey: messageKey(remoteId),
      kind: from?.id === actorRemoteId ? 'echo' : 'message',
      actorRemoteId,
      remoteId,
      threadId,
      from,
      text: textAt(raw, 'message'),
      media: files,
      at: timeAt(raw, 'created_time') ?? new Date(0),
      raw,
    },
  ]
}

export function personIn(raw: Json | undefined): Person | undefined {
  const id = textAt(raw, 'id')
  return id === undefined ? undefined : { id, name: textAt(raw, 'name'), username: textAt(raw, 'username') }
}

const some = (url: string | undefined) => (url === undefined ? [] : [url])

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
