import { createHash } from 'node:crypto'
import type { Activity } from '../connector/activity.ts'
import { at, listAt, textAt, timeAt } from '../graph/graph.ts'
import type { Json } from '../wire/json.ts'
import { commentKey, mentionKey, messageKey, personIn, postKey } from './reading.ts'

export const pushFields = 'feed,mention,messages,message_echoes,message_reads,messaging_postbacks'

/** What one entry of a delivery tells about a page. */
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

/** Hidden things are no news; what was changed or taken back must be known only of words, not of reactions. */
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
  const said = { ...known, remoteId, postId, from, text: textAt(value, 'message'), media: linkIn(value) }
  const isOwn = from?.id === known.actorRemoteId
  if (commentId === undefined) {
    const kind = item === 'share' && !isOwn ? 'share' : 'post'
    return [{ ...said, dedupeKey: postKey(remoteId), kind }]
  }
  // The parent of a comment directly under the post is the post.
  const parent = textAt(value, 'parent_id')
  const parentCommentId = parent === postId ? undefined : parent
  const kind = isOwn ? 'echo' : parentCommentId === undefined ? 'comment' : 'reply'
  const told = { ...said, kind, parentCommentId } as const
  if (!isEdited) return [{ ...told, dedupeKey: commentKey(commentId) }]
  return [
    { ...told, dedupeKey: `edited:${commentId}:${editedAt.getTime()}:${fingerprint(said.text)}`, edited: editedAt },
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
  const said = { ...known, remoteId, threadId, from: { id: sender } }
  if (at(raw, 'message', 'is_deleted') === true) return [{ ...said, dedupeKey: `removed:${remoteId}`, kind: 'removed' }]
  const media = listAt(raw, 'message', 'attachments').flatMap((file) => textAt(file, 'payload', 'url') ?? [])
  const text = textAt(raw, 'message', 'text')
  return [{ ...said, dedupeKey: messageKey(remoteId), kind: isOwn ? 'echo' : 'message', text, media }]
}

/** Two changes in one second are told with the same time. */
const fingerprint = (text = '') => createHash('sha256').update(text).digest('hex').slice(0, 12)

function linkIn(value: Json): string[] {
  const photo = textAt(value, 'photo')
  return photo === undefined ? [] : [photo]
}
