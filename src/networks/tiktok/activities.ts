import {
  type Activity,
  type Actor,
  badInput,
  NetworkError,
  type Page,
  type PushRequest,
  type PushVerdict,
} from '../connector/connector.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { readJson } from '../http/json.ts'
import { hmac, sameText } from '../http/signature.ts'
import { isRow, numberIn, type Row, rowsIn, type TikTokClient, textIn, timeIn } from './client.ts'
import { manifest } from './manifest.ts'
import { listVideos, postIdOf, videoUrl } from './outcomes.ts'
import { listThread } from './replies.ts'

/** A list with unread pages: a video's comments or a comment's replies, from a cursor on. */
type Unread = [postId: string, commentId: string, cursor: string]

export async function fetchComments(
  client: TikTokClient,
  actor: Actor,
  postId: string,
  cursor?: string,
): Promise<Page<Activity>> {
  if (cursor !== undefined) return readOn(client, actor, unreadIn(cursor))
  const videoId = await postIdOf(client, actor, postId)
  return videoId === undefined ? { items: [] } : readOn(client, actor, [[videoId, '', '']])
}

/** Comments of the newest videos; TikTok has no list across videos. */
export async function fetchInbox(client: TikTokClient, actor: Actor, cursor?: string): Promise<Page<Activity>> {
  if (cursor !== undefined) return readOn(client, actor, unreadIn(cursor))
  const { videos } = await listVideos(client, actor, [])
  return readOn(
    client,
    actor,
    videos.map((video) => [textIn(video, 'item_id') ?? '', '', '']),
  )
}

async function readOn(client: TikTokClient, actor: Actor, unread: Unread[]): Promise<Page<Activity>> {
  const items: Activity[] = []
  const left = unread.slice(listsPerPage)
  for (const [postId, commentId, from] of unread.slice(0, listsPerPage)) {
    const { comments, cursor } = await listThread(client, actor, postId, commentId || undefined, from || undefined)
    for (const comment of comments) {
      const replies = rowsIn(comment, 'reply_list')
      items.push(...[comment, ...replies].map((row) => commentActivity(client, actor, postId, row)))
      const more = !commentId && (numberIn(comment, 'replies') ?? 0) > replies.length
      if (more) left.push([postId, textIn(comment, 'comment_id') ?? '', ''])
    }
    if (cursor !== undefined) left.push([postId, commentId, cursor])
  }
  const newestFirst = items.toSorted((one, other) => other.at.getTime() - one.at.getTime())
  return { items: newestFirst, cursor: left.length > 0 ? JSON.stringify(left.slice(0, maximumUnread)) : undefined }
}

function commentActivity(client: TikTokClient, actor: Actor, postId: string, comment: Row): Activity {
  const { reply_list: _, ...raw } = comment
  const id = textIn(comment, 'comment_id') ?? ''
  const parentCommentId = textIn(comment, 'parent_comment_id')
  const image = textIn(comment, 'image_url')
  const commentKind = parentCommentId === undefined ? 'comment' : 'reply'
  return {
    dedupeKey: `comment:${id}`,
    kind: comment.owner === true ? 'echo' : commentKind,
    actorRemoteId: actor.remoteId,
    remoteId: id,
    from: {
      id: textIn(comment, 'unique_identifier') ?? textIn(comment, 'user_id') ?? '',
      name: textIn(comment, 'display_name'),
      username: textIn(comment, 'username'),
      picture: textIn(comment, 'profile_image'),
    },
    postId,
    parentCommentId,
    text: textIn(comment, 'text') ?? '',
    media: image === undefined ? undefined : [image],
    url: videoUrl(client, actor, postId),
    at: timeIn(comment, 'create_time') ?? client.clock.now(),
    raw,
  }
}

function unreadIn(cursor: string): Unread[] {
  const value = readJson(cursor)
  const isUnread = (entry: unknown): entry is Unread =>
    Array.isArray(entry) && entry.length === 3 && entry.every((part) => typeof part === 'string')
  if (!Array.isArray(value) || !value.every(isUnread))
    throw badInput('TikTok', 'The cursor is not one of ours.', 'cursor')
  return value
}

const listsPerPage = 4
// Keeps the cursor small; dropped lists are read with the post itself.
const maximumUnread = 100

/** One callback URL for the whole app, valid until it is replaced. */
export async function subscribePush(client: TikTokClient, callback: string): Promise<Record<string, never>> {
  await subscribe(client, 'COMMENT', callback)
  try {
    await subscribe(client, 'BRAND_MENTION', callback)
  } catch (error) {
    // Mentions need a separate permission; comments are pushed without it.
    if (!(error instanceof NetworkError) || error.fault.kind !== 'permanent') throw error
  }
  return {}
}

const subscribe = ({ app, asApp }: TikTokClient, event_type: string, callback_url: string) =>
  asApp('business/webhook/update', { app_id: app.clientId, secret: app.clientSecret, event_type, callback_url })

/** Verifies the signature and its age, then parses the content. */
export function verifyPush(
  { clientSecret }: NetworkApp,
  { method, headers, raw, receivedAt }: PushRequest,
): PushVerdict {
  if (method !== 'POST') return rejected(400, 'TikTok has no handshake; it only posts.')
  const [, seconds, signature] = /^t=(\d{1,12}),s=([0-9a-f]{64})$/.exec(headers[manifest.push.signature] ?? '') ?? []
  if (seconds === undefined || signature === undefined) return rejected(401, 'The signature is missing.')
  if (!sameText(hmac('sha256', clientSecret, 'hex', `${seconds}.`, raw), signature)) {
    return rejected(401, 'The signature is wrong.')
  }
  if (Math.abs(receivedAt.getTime() / 1000 - Number(seconds)) > freshSeconds) {
    return rejected(401, 'The signature is too old.')
  }
  const push = readJson(Buffer.from(raw).toString('utf8'))
  const content = isRow(push) ? readJson(textIn(push, 'content') ?? '{}') : undefined
  if (!isRow(push) || !isRow(content)) return rejected(400, 'The body cannot be read.')
  const item = activityIn(push, content, receivedAt)
  return { ok: true, response: { status: 200, type: 'text/plain', body: '' }, items: item ? [item] : [] }
}

/** Undefined for unused events, such as direct messages and completed publish requests. */
function activityIn(push: Row, content: Row, receivedAt: Date): Activity | undefined {
  const actorRemoteId = textIn(push, 'user_openid')
  if (actorRemoteId === undefined) return undefined
  const at = timeIn(content, 'timestamp') ?? timeIn(push, 'create_time') ?? receivedAt
  const common = { actorRemoteId, at, raw: content }
  if (push.event === 'comment.update') return commentIn(content, common)
  if (push.event === 'brand.mention.event') return mentionIn(content, common)
  if (push.event !== 'authorization.removed') return undefined
  return { ...common, kind: 'revoked', dedupeKey: `revoked:${actorRemoteId}:${at.getTime()}`, remoteId: actorRemoteId }
}

type Common = Pick<Activity, 'actorRemoteId' | 'at' | 'raw'>

function commentIn(content: Row, common: Common): Activity | undefined {
  const remoteId = textIn(content, 'comment_id')
  if (remoteId === undefined) return undefined
  const parentCommentId = parentIn(content)
  const postId = textIn(content, 'video_id')
  const removed = content.comment_action === 'delete'
  if (removed)
    return { ...common, kind: 'removed', dedupeKey: `removed:${remoteId}`, remoteId, postId, parentCommentId }
  // Without its text it would be empty in the inbox; polling returns both.
  if (content.comment_action !== 'insert' || typeof content.text !== 'string') return undefined
  const from = { id: textIn(content, 'unique_identifier') ?? '', username: textIn(content, 'username') }
  const commentKind = parentCommentId === undefined ? 'comment' : 'reply'
  const kind = from.id === common.actorRemoteId ? 'echo' : commentKind
  const { text } = content
  return { ...common, kind, dedupeKey: `comment:${remoteId}`, remoteId, from, postId, parentCommentId, text }
}

/** A mention of the account in a video's caption or in a comment. */
function mentionIn(content: Row, common: Common): Activity | undefined {
  const postId = textIn(content, 'video_id')
  if (postId === undefined || (content.type_of_event ?? 'CREATE') !== 'CREATE') return undefined
  const commentId = textIn(content, 'comment_id')
  const inComment = commentId !== undefined && commentId !== '0'
  const remoteId = inComment ? commentId : postId
  return {
    ...common,
    kind: 'mention',
    // The same comment may also be pushed as a comment under an own video.
    dedupeKey: inComment ? `comment:${commentId}` : `mention:${postId}`,
    remoteId,
    from: { id: textIn(content, 'unique_identifier') ?? '' },
    postId,
    text: textIn(content, 'video_caption'),
    url: textIn(content, 'share_url'),
  }
}

function parentIn(content: Row): string | undefined {
  const parent = textIn(content, 'parent_comment_id')
  return parent === '0' ? undefined : parent
}

const rejected = (status: 400 | 401, reason: string): PushVerdict => ({ ok: false, status, reason })

const freshSeconds = 300
