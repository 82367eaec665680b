import type { Activity } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import type { Json } from '../wire/json.ts'
import { at, commentParts, commentUrl, lastOf, numberAt, personIdOf, postUrl, textAt, urnOf } from './fields.ts'
import { readable } from './little-text.ts'

export function postActivity(app: NetworkApp, actor: Actor, post: Json): Activity {
  const remoteId = textAt(post, 'id') ?? ''
  return {
    dedupeKey: `post:${remoteId}`,
    kind: 'post',
    actorRemoteId: actor.remoteId,
    remoteId,
    from: { id: actor.remoteId, username: actor.username },
    postId: remoteId,
    text: readable(textAt(post, 'commentary') ?? ''),
    url: postUrl(app, remoteId),
    at: new Date(numberAt(post, 'publishedAt') ?? numberAt(post, 'createdAt') ?? 0),
    raw: post,
  }
}

export const commentUrnOf = (comment: Json) =>
  textAt(comment, 'commentUrn') ??
  textAt(comment, '$URN') ??
  `urn:li:comment:(${textAt(comment, 'object')},${textAt(comment, 'id')})`

/** The number alone: LinkedIn names the post in a comment's URN in more than one way. */
const commentKey = (urn: string) => commentParts(urn)?.number ?? urn

/** A comment as the list of a post's comments shows it. */
export function commentActivity(app: NetworkApp, actor: Actor, postId: string, comment: Json): Activity {
  const remoteId = commentUrnOf(comment)
  const by = textAt(comment, 'actor') ?? ''
  const parentCommentId = textAt(comment, 'parentComment')
  return {
    dedupeKey: `comment:${commentKey(remoteId)}`,
    kind: by === urnOf(actor) ? 'echo' : parentCommentId ? 'reply' : 'comment',
    actorRemoteId: actor.remoteId,
    remoteId,
    from: { id: personIdOf(by) },
    postId,
    parentCommentId,
    text: textAt(comment, 'message', 'text') ?? '',
    url: commentUrl(app, postId, remoteId),
    at: new Date(numberAt(comment, 'created', 'time') ?? 0),
    raw: comment,
  }
}

export function messageActivity(actor: Actor, message: Json): Activity {
  const remoteId = textAt(message, 'id') ?? ''
  const id = personIdOf(textAt(message, 'participant', 'urn') ?? '')
  const username = textAt(message, 'participant', 'vanityName')
  const isOurs = textAt(message, 'direction') === 'OUTBOUND'
  const other = { id, name: textAt(message, 'participant', 'name'), username }
  return {
    dedupeKey: `message:${remoteId}`,
    kind: isOurs ? 'echo' : 'message',
    actorRemoteId: actor.remoteId,
    remoteId,
    from: isOurs ? { id: actor.remoteId, username: actor.username } : other,
    threadId: textAt(message, 'thread'),
    text: textAt(message, 'body') ?? '',
    at: new Date(numberAt(message, 'createdAt') ?? 0),
    raw: message,
  }
}

/** What each action of a notification is; `as` names the part of it that tells more. */
const actions: { readonly [action: string]: { kind: Activity['kind']; key: string; as: string } } = {
  COMMENT: { kind: 'comment', key: 'comment', as: 'comment' },
  COMMENT_EDIT: { kind: 'comment', key: 'edited', as: 'comment' },
  ADMIN_COMMENT: { kind: 'echo', key: 'comment', as: 'comment' },
  COMMENT_DELETE: { kind: 'removed', key: 'removed', as: 'comment' },
  SHARE_MENTION: { kind: 'mention', key: 'mention', as: 'share' },
  SHARE: { kind: 'share', key: 'share', as: 'share' },
  LIKE: { kind: 'reaction', key: 'reaction', as: 'like' },
  MESSAGE: { kind: 'message', key: 'message', as: 'message' },
}

/** A notification, pushed or fetched; nothing when it tells of something we do not know. */
export function noticeActivity(app: NetworkApp, notice: Json): Activity | undefined {
  const page = textAt(notice, 'organizationalEntity')
  const remoteId = textAt(notice, 'generatedActivity')
  const action = textAt(notice, 'action') ?? ''
  const meaning = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (!meaning || page === undefined || remoteId === undefined) return undefined
  const told = at(notice, 'decoratedGeneratedActivity', meaning.as)
  const owner = textAt(told, 'owner')
  const text = textAt(told, 'text')
  const isShare = meaning.as === 'share'
  const postId = meaning.kind === 'message' ? undefined : isShare ? remoteId : textAt(notice, 'sourcePost')
  const parentCommentId = meaning.as === 'comment' ? textAt(told, 'parentComment') : undefined
  const happened = new Date(numberAt(notice, 'lastModifiedAt') ?? 0)
  const isEdit = meaning.key === 'edited'
  return {
    dedupeKey: `${meaning.key}:${commentKey(remoteId)}${isEdit ? `:${happened.getTime()}` : ''}`,
    kind: meaning.kind === 'comment' ? (owner === page ? 'echo' : parentCommentId ? 'reply' : 'comment') : meaning.kind,
    actorRemoteId: lastOf(page),
    remoteId,
    from: owner === undefined ? undefined : { id: personIdOf(owner) },
    postId,
    parentCommentId,
    threadId: textAt(told, 'thread'),
    text: text !== undefined && isShare ? readable(text) : text,
    url: postId && (meaning.as === 'comment' ? commentUrl(app, postId, remoteId) : postUrl(app, postId)),
    at: happened,
    edited: isEdit ? happened : undefined,
    raw: notice,
  }
}
