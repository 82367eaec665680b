import type { Activity, Person } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { at, listAt, textAt, timeAt } from '../graph/answer.ts'
import type { Json } from '../wire/json.ts'

export const postFields = 'id,message,from,created_time,permalink_url,full_picture'
export const commentFields = 'id,message,from,created_time,parent{id},attachment,permalink_url'
export const messageFields = 'id,message,from,to,created_time,attachments'

/** The same comment is named with the post's or with the picture's number before its own. */
export const commentKey = (id: string) => `comment:${id.split('_').at(-1)}`
export const postKey = (id: string) => `post:${id}`
export const mentionKey = (id: string) => `mention:${id}`
export const messageKey = (id: string) => `message:${id}`

export const postActivity = (actor: Actor, raw: Json) => said(actor, 'post', postKey, raw)
export const mentionActivity = (actor: Actor, raw: Json) => said(actor, 'mention', mentionKey, raw)

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
export function messageActivity({ remoteId: actorRemoteId }: Actor, threadId: string, raw: Json): Activity[] {
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
