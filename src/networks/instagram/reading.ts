import type { Activity, Page, Person, StreamQuery } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { unsupported } from '../connector/fault.ts'
import { isNever } from '../graph/calls.ts'
import { at, type Graph, listAt, textAt, timeAt } from '../graph/graph.ts'
import { readList, readSeveral } from '../graph/listing.ts'
import type { Json } from '../wire/json.ts'

const mediaFields = 'id,caption,media_type,media_url,permalink,timestamp,username,owner'
const wordFields = 'id,text,username,from,timestamp,parent_id,like_count'
const commentFields = `${wordFields},replies{${wordFields}}`

export const commentKey = (id: string) => `comment:${id}`
export const mentionKey = (id: string) => `mention:${id}`

const postActivity = (actor: Actor, raw: Json) => shown(actor, 'post', raw)
/** A post of somebody else that names the account. */
const tagActivity = (actor: Actor, raw: Json) => shown(actor, 'mention', raw)

function shown({ remoteId: actorRemoteId }: Actor, kind: 'post' | 'mention', raw: Json): Activity[] {
  const remoteId = textAt(raw, 'id')
  if (remoteId === undefined) return []
  const picture = textAt(raw, 'media_url')
  return [
    {
      dedupeKey: kind === 'post' ? `post:${remoteId}` : mentionKey(remoteId),
      kind,
      actorRemoteId,
      remoteId,
      postId: remoteId,
      from: personIn(at(raw, 'owner'), raw),
      text: textAt(raw, 'caption'),
      media: picture === undefined ? [] : [picture],
      url: textAt(raw, 'permalink'),
      at: timeAt(raw, 'timestamp') ?? new Date(0),
      raw,
    },
  ]
}

/** A comment and the answers under it. */
function commentActivities(actor: Actor, postId: string, raw: Json, parent?: string): Activity[] {
  const remoteId = textAt(raw, 'id')
  if (remoteId === undefined) return []
  const from = personIn(at(raw, 'from'), raw)
  const isOwn = from?.id === actor.remoteId || from?.username === actor.username
  const parentCommentId = textAt(raw, 'parent_id') ?? parent
  const comment: Activity = {
    dedupeKey: commentKey(remoteId),
    kind: isOwn ? 'echo' : parentCommentId === undefined ? 'comment' : 'reply',
    actorRemoteId: actor.remoteId,
    remoteId,
    postId,
    parentCommentId,
    from,
    text: textAt(raw, 'text'),
    at: timeAt(raw, 'timestamp') ?? new Date(0),
    raw,
  }
  const answers = listAt(raw, 'replies', 'data').flatMap((row) => commentActivities(actor, postId, row, remoteId))
  return [comment, ...answers]
}

/** Of strangers Instagram often tells the name alone. */
function personIn(who: Json | undefined, raw: Json): Person | undefined {
  const username = textAt(who, 'username') ?? textAt(raw, 'username')
  const id = textAt(who, 'id') ?? username
  return id === undefined ? undefined : { id, username }
}

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
