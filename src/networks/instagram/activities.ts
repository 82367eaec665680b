import { type Activity, type Actor, type Page, type Person, unsupported } from '../connector/connector.ts'
import type { StreamQuery } from '../connector/manifest.ts'
import { isPermanentError, readList, readSeveral } from '../graph/client.ts'
import { at, type Graph, listAt, textAt, timeAt } from '../graph/graph.ts'
import type { Json } from '../http/json.ts'

const mediaFields = 'id,caption,media_type,media_url,permalink,timestamp,username,owner'
const textFields = 'id,text,username,from,timestamp,parent_id,like_count'
const commentFields = `${textFields},replies{${textFields}}`

const commentKey = (id: string) => `comment:${id}`
const mentionKey = (id: string) => `mention:${id}`

const postActivity = (actor: Actor, raw: Json) => mediaActivity(actor, 'post', raw)
/** A post of another account that tags the account. */
const tagActivity = (actor: Actor, raw: Json) => mediaActivity(actor, 'mention', raw)

function mediaActivity({ remoteId: actorRemoteId }: Actor, kind: 'post' | 'mention', raw: Json): Activity[] {
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

/** A comment with its replies. */
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
  const replies = listAt(raw, 'replies', 'data').flatMap((row) => commentActivities(actor, postId, row, remoteId))
  return [comment, ...replies]
}

/** For unknown people Instagram often returns the username only. */
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

/** Comments under the newest posts, and posts that tag the account; direct messages aren't read. */
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

/** Not every login can list tags; comments are returned anyway. */
function noTags(error: unknown): Page<Activity> {
  if (isPermanentError(error, 'permission', 'input', 'gone')) return { items: [] }
  throw error
}

function commentsIn(actor: Actor, post: Json): Activity[] {
  const postId = textAt(post, 'id') ?? ''
  return listAt(post, 'comments', 'data').flatMap((row) => commentActivities(actor, postId, row))
}

export const pushFields = 'comments,mentions'

/** Activities in one entry of a delivery; direct messages are ignored. */
export function readEntry(entry: Json, receivedAt: Date): Activity[] {
  const actorRemoteId = textAt(entry, 'id') ?? ''
  return listAt(entry, 'changes').flatMap((change) => {
    const raw = at(change, 'value') ?? null
    const known = { actorRemoteId, at: timeAt(entry, 'time') ?? receivedAt, raw }
    const field = textAt(change, 'field')
    if (field === 'comments') return readComment(raw, known)
    return field === 'mentions' ? readMention(raw, known) : []
  })
}

type Known = Pick<Activity, 'actorRemoteId' | 'at' | 'raw'>

function readComment(raw: Json, known: Known): Activity[] {
  const remoteId = textAt(raw, 'id')
  if (remoteId === undefined) return []
  const id = textAt(raw, 'from', 'id')
  const from = id === undefined ? undefined : { id, username: textAt(raw, 'from', 'username') }
  const parentCommentId = textAt(raw, 'parent_id')
  const kind = id === known.actorRemoteId ? 'echo' : parentCommentId === undefined ? 'comment' : 'reply'
  const [postId, text] = [textAt(raw, 'media', 'id'), textAt(raw, 'text')]
  const comment = { ...known, kind, remoteId, postId, parentCommentId, from, text } as const
  // For a comment under an album the push doesn't name the album, nor that it is one; reels are never albums.
  const uncertainty = textAt(raw, 'media', 'media_product_type') === 'REELS' ? {} : ({ isPostUncertain: true } as const)
  return [{ ...comment, ...uncertainty, dedupeKey: commentKey(remoteId) }]
}

/** The push contains only the location of the mention, not its author or text. */
function readMention(raw: Json, known: Known): Activity[] {
  const postId = textAt(raw, 'media_id')
  const remoteId = textAt(raw, 'comment_id') ?? postId
  if (remoteId === undefined) return []
  return [{ ...known, dedupeKey: mentionKey(remoteId), kind: 'mention', remoteId, postId }]
}
