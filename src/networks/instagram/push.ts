import type { Activity } from '../connector/activity.ts'
import { at, listAt, textAt, timeAt } from '../graph/graph.ts'
import type { Json } from '../wire/json.ts'
import { commentKey, mentionKey } from './reading.ts'

export const pushFields = 'comments,mentions'

/** What one entry of a delivery tells about an account; direct messages are passed over. */
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
  // Under an album the album is not named, and a push does not say that it is one; reels never are.
  const unsure = textAt(raw, 'media', 'media_product_type') === 'REELS' ? {} : ({ isPostUnsure: true } as const)
  return [{ ...comment, ...unsure, dedupeKey: commentKey(remoteId) }]
}

/** It says only where the account was named, not by whom and how. */
function readMention(raw: Json, known: Known): Activity[] {
  const postId = textAt(raw, 'media_id')
  const remoteId = textAt(raw, 'comment_id') ?? postId
  if (remoteId === undefined) return []
  return [{ ...known, dedupeKey: mentionKey(remoteId), kind: 'mention', remoteId, postId }]
}
