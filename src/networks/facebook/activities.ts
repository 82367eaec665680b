import { createHash } from 'node:crypto'
import { type Activity, type Actor, type Page, type Person, unsupported } from '../connector/connector.ts'
import type { StreamQuery } from '../connector/manifest.ts'
import { readList, readSeveral } from '../graph/client.ts'
import { at, type Graph, listAt, textAt, timeAt } from '../graph/graph.ts'
import type { Json } from '../http/json.ts'

const postFields = 'id,message,from,created_time,permalink_url,full_picture'
const commentFields = 'id,message,from,created_time,parent{id},attachment,permalink_url'
export const messageFields = 'id,message,from,to,created_time,attachments'

/** The same comment id is prefixed with the post's or the photo's id. */
const commentKey = (id: string) => `comment:${id.split('_').at(-1)}`
const postKey = (id: string) => `post:${id}`
const mentionKey = (id: string) => `mention:${id}`
const messageKey = (id: string) => `message:${id}`

const postActivity = (actor: Actor, raw: Json) => feedActivity(actor, 'post', postKey, raw)
const mentionActivity = (actor: Actor, raw: Json) => feedActivity(actor, 'mention', mentionKey, raw)

function feedActivity(
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

/** Pushes don't include the thread, only both participants, so the other participant's id identifies the thread everywhere. */
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

function personIn(raw: Json | undefined): Person | undefined {
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

/** One request per kind and page: posts with comments, mentions, threads with messages. */
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

export const pushFields = 'feed,mention,messages,message_echoes,message_reads,messaging_postbacks'

/** Activities in one entry of a delivery. */
export function readEntry(entry: Json, receivedAt: Date): Activity[] {
  const actorRemoteId = textAt(entry, 'id') ?? ''
  const entryAt = timeAt(entry, 'time') ?? receivedAt
  const changes = listAt(entry, 'changes').flatMap((change) => {
    const value = at(change, 'value') ?? null
    const known = { actorRemoteId, at: timeAt(value, 'created_time') ?? entryAt, raw: value }
    const field = textAt(change, 'field')
    if (field === 'feed') return readFeed(value, known, entryAt)
    return field === 'mention' ? readMention(value, known) : []
  })
  const messages = listAt(entry, 'messaging').flatMap((raw) =>
    readMessage(raw, { actorRemoteId, at: timeAt(raw, 'timestamp') ?? entryAt, raw }),
  )
  return [...changes, ...messages]
}

type Known = Pick<Activity, 'actorRemoteId' | 'at' | 'raw'>

/** Hidden items are ignored; edits and deletions matter for texts only, not for reactions. */
function readFeed(value: Json, known: Known, editedAt: Date): Activity[] {
  const [item, verb, postId] = [textAt(value, 'item'), textAt(value, 'verb'), textAt(value, 'post_id')]
  const commentId = textAt(value, 'comment_id')
  const from = personIn(at(value, 'from'))
  const remoteId = commentId ?? postId
  if (remoteId === undefined) return []
  if (item === 'reaction' || item === 'like') {
    if (verb !== 'add' || !from) return []
    const liked = { remoteId, postId, parentCommentId: commentId, from }
    return [{ ...known, dedupeKey: `reaction:${remoteId}:${from.id}`, kind: 'reaction', ...liked }]
  }
  if (verb === 'remove')
    return [{ ...known, dedupeKey: `removed:${remoteId}`, kind: 'removed', remoteId, postId, from }]
  const isEdited = (verb === 'edit' || verb === 'edited') && commentId !== undefined
  if (verb !== 'add' && !isEdited) return []
  const common = { ...known, remoteId, postId, from, text: textAt(value, 'message'), media: linkIn(value) }
  const isOwn = from?.id === known.actorRemoteId
  if (commentId === undefined) {
    const kind = item === 'share' && !isOwn ? 'share' : 'post'
    return [{ ...common, dedupeKey: postKey(remoteId), kind }]
  }
  // The parent of a top-level comment is the post.
  const parent = textAt(value, 'parent_id')
  const parentCommentId = parent === postId ? undefined : parent
  const kind = isOwn ? 'echo' : parentCommentId === undefined ? 'comment' : 'reply'
  const comment = { ...common, kind, parentCommentId } as const
  if (!isEdited) return [{ ...comment, dedupeKey: commentKey(commentId) }]
  return [
    {
      ...comment,
      dedupeKey: `edited:${commentId}:${editedAt.getTime()}:${fingerprint(common.text)}`,
      edited: editedAt,
    },
  ]
}

function readMention(value: Json, known: Known): Activity[] {
  const [postId, commentId] = [textAt(value, 'post_id'), textAt(value, 'comment_id')]
  const remoteId = commentId ?? postId
  if (remoteId === undefined || (textAt(value, 'verb') ?? 'add') !== 'add') return []
  const id = textAt(value, 'sender_id')
  const from = id === undefined ? undefined : { id, name: textAt(value, 'sender_name') }
  const text = textAt(value, 'message')
  return [{ ...known, dedupeKey: mentionKey(remoteId), kind: 'mention', remoteId, postId, from, text }]
}

function readMessage(raw: Json, known: Known): Activity[] {
  const remoteId = textAt(raw, 'message', 'mid')
  if (remoteId === undefined) return []
  const [sender, recipient] = [textAt(raw, 'sender', 'id') ?? '', textAt(raw, 'recipient', 'id')]
  const isOwn = at(raw, 'message', 'is_echo') === true || sender === known.actorRemoteId
  const threadId = isOwn ? recipient : sender
  const common = { ...known, remoteId, threadId, from: { id: sender } }
  if (at(raw, 'message', 'is_deleted') === true)
    return [{ ...common, dedupeKey: `removed:${remoteId}`, kind: 'removed' }]
  const media = listAt(raw, 'message', 'attachments').flatMap((file) => textAt(file, 'payload', 'url') ?? [])
  const text = textAt(raw, 'message', 'text')
  return [{ ...common, dedupeKey: messageKey(remoteId), kind: isOwn ? 'echo' : 'message', text, media }]
}

/** Two edits within one second have the same timestamp. */
const fingerprint = (text = '') => createHash('sha256').update(text).digest('hex').slice(0, 12)

function linkIn(value: Json): string[] {
  const photo = textAt(value, 'photo')
  return photo === undefined ? [] : [photo]
}
