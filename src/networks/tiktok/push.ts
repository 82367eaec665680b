import type { Activity, PushRequest, PushVerdict } from '../connector/activity.ts'
import { NetworkError } from '../connector/fault.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { readJson } from '../wire/json.ts'
import { hmac, sameText } from '../wire/signature.ts'
import type { TikTokCalls } from './calls.ts'
import { manifest } from './manifest.ts'
import { isRow, type Row, textIn, timeIn } from './refusals.ts'

/** One address for the whole app; it holds until another is given. */
export async function subscribePush(calls: TikTokCalls, callback: string): Promise<Record<string, never>> {
  await subscribe(calls, 'COMMENT', callback)
  try {
    await subscribe(calls, 'BRAND_MENTION', callback)
  } catch (error) {
    // Mentions need a permission of their own, and comments are told without it.
    if (!(error instanceof NetworkError) || error.fault.kind !== 'permanent') throw error
  }
  return {}
}

const subscribe = ({ app, asApp }: TikTokCalls, event_type: string, callback_url: string) =>
  asApp('business/webhook/update', { app_id: app.clientId, secret: app.clientSecret, event_type, callback_url })

/** Judges the signature, its age, and then what is told. */
export function verifyPush(
  { clientSecret }: NetworkApp,
  { method, headers, raw, receivedAt }: PushRequest,
): PushVerdict {
  if (method !== 'POST') return refused(400, 'TikTok has no handshake; it only posts.')
  const [, seconds, signature] = /^t=(\d{1,12}),s=([0-9a-f]{64})$/.exec(headers[manifest.push.signature] ?? '') ?? []
  if (seconds === undefined || signature === undefined) return refused(401, 'The signature is missing.')
  if (!sameText(hmac('sha256', clientSecret, 'hex', `${seconds}.`, raw), signature)) {
    return refused(401, 'The signature is wrong.')
  }
  if (Math.abs(receivedAt.getTime() / 1000 - Number(seconds)) > freshSeconds) {
    return refused(401, 'The signature is too old.')
  }
  const told = readJson(Buffer.from(raw).toString('utf8'))
  const content = isRow(told) ? readJson(textIn(told, 'content') ?? '{}') : undefined
  if (!isRow(told) || !isRow(content)) return refused(400, 'The body cannot be read.')
  const item = activityIn(told, content, receivedAt)
  return { ok: true, answer: { status: 200, type: 'text/plain', body: '' }, items: item ? [item] : [] }
}

/** Nothing for what the service has no use for, such as direct messages and the ends of orders. */
function activityIn(told: Row, content: Row, receivedAt: Date): Activity | undefined {
  const actorRemoteId = textIn(told, 'user_openid')
  if (actorRemoteId === undefined) return undefined
  const at = timeIn(content, 'timestamp') ?? timeIn(told, 'create_time') ?? receivedAt
  const common = { actorRemoteId, at, raw: content }
  if (told.event === 'comment.update') return commentIn(content, common)
  if (told.event === 'brand.mention.event') return mentionIn(content, common)
  if (told.event !== 'authorization.removed') return undefined
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
  // Without its words it would stand empty in the inbox; the poll brings both.
  if (content.comment_action !== 'insert' || typeof content.text !== 'string') return undefined
  const from = { id: textIn(content, 'unique_identifier') ?? '', username: textIn(content, 'username') }
  const said = parentCommentId === undefined ? 'comment' : 'reply'
  const kind = from.id === common.actorRemoteId ? 'echo' : said
  const { text } = content
  return { ...common, kind, dedupeKey: `comment:${remoteId}`, remoteId, from, postId, parentCommentId, text }
}

/** Somebody names the account in the caption of a video or in a comment. */
function mentionIn(content: Row, common: Common): Activity | undefined {
  const postId = textIn(content, 'video_id')
  if (postId === undefined || (content.type_of_event ?? 'CREATE') !== 'CREATE') return undefined
  const commentId = textIn(content, 'comment_id')
  const inComment = commentId !== undefined && commentId !== '0'
  const remoteId = inComment ? commentId : postId
  return {
    ...common,
    kind: 'mention',
    // The same comment may be told as a comment under an own video too.
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

const refused = (status: 400 | 401, reason: string): PushVerdict => ({ ok: false, status, reason })

const freshSeconds = 300
