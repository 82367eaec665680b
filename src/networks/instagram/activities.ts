import type { Activity, Person } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { at, listAt, textAt, timeAt } from '../graph/answer.ts'
import type { Json } from '../wire/json.ts'

export const mediaFields = 'id,caption,media_type,media_url,permalink,timestamp,username,owner'
const wordFields = 'id,text,username,from,timestamp,parent_id,like_count'
export const commentFields = `${wordFields},replies{${wordFields}}`

export const commentKey = (id: string) => `comment:${id}`
export const mentionKey = (id: string) => `mention:${id}`

export const postActivity = (actor: Actor, raw: Json) => shown(actor, 'post', raw)
/** A post of somebody else that names the account. */
export const tagActivity = (actor: Actor, raw: Json) => shown(actor, 'mention', raw)

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
export function commentActivities(actor: Actor, postId: string, raw: Json, parent?: string): Activity[] {
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
