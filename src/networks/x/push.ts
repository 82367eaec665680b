import type { Activity, PushRequest, PushVerdict } from '../connector/activity.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { type Json, readJson } from '../wire/json.ts'
import { hmac, isChallenge, sameText } from '../wire/signature.ts'
import { messageActivity, postActivity } from './activities.ts'
import { asJson, type Includes, objectIn, type XPost, type XUser } from './answers.ts'
import type { XCalls } from './calls.ts'
import { manifest } from './manifest.ts'

export function verifyPush(calls: XCalls, { method, query, headers, raw, receivedAt }: PushRequest): PushVerdict {
  const secret = consumerSecret(calls.app)
  if (method === 'GET') {
    const token = query.get('crc_token') ?? ''
    // Anybody may ask. X sends a UUID in base64; a longer or freer text could be a forged delivery.
    if (!isChallenge(token)) return { ok: false, status: 400, reason: 'The request has no crc_token in the form of X.' }
    return accepted({ response_token: signed(secret, token) }, [])
  }
  if (isChallenge(raw)) return { ok: false, status: 400, reason: 'The body is a challenge, not a delivery.' }
  const signature = headers[manifest.push.signature]
  if (!signature) return { ok: false, status: 401, reason: 'The call has no signature of X.' }
  if (!sameText(signature, signed(secret, raw))) {
    return { ok: false, status: 403, reason: 'The signature does not fit the content.' }
  }
  const body = readJson(Buffer.from(raw).toString('utf8'))
  const event = objectIn(objectIn(body).data)
  if (typeof event.event_type !== 'string') return { ok: false, status: 400, reason: 'The call holds no event of X.' }
  return accepted({}, activitiesIn(calls, event.event_type, event, receivedAt))
}

/** Pushes are signed with the key of the app itself, which need not be the one people log in with. */
export const consumerSecret = ({ options, clientSecret }: NetworkApp) => options.consumerSecret ?? clientSecret

const signed = (secret: string, content: string | Uint8Array) => `sha256=${hmac('sha256', secret, 'base64', content)}`

const accepted = (body: object, items: Activity[]): PushVerdict => ({
  ok: true,
  answer: { status: 200, type: 'application/json', body: JSON.stringify(body) },
  items,
})

interface LikePayload {
  id?: string
  liked_tweet_id?: string
  timestamp_ms?: string
  created_at?: string
}

function activitiesIn(calls: XCalls, type: string, event: { [key: string]: Json }, receivedAt: Date): Activity[] {
  const payload = objectIn(event.payload)
  const owner = String(objectIn(event.filter).user_id ?? payload.user_id ?? '')
  const includes = includesIn(event)
  if (type === 'oauth.revoke') {
    const at = new Date(String(payload.date_time ?? receivedAt.toISOString()))
    return [{ ...bare(owner, 'revoked', owner, at, payload), dedupeKey: `revoked:${owner}:${at.toISOString()}` }]
  }
  if (type === 'dm.received' || type === 'dm.sent') return messagesIn(owner, payload)
  if (type === 'like.create') return [likeIn(owner, payload as LikePayload, includes, receivedAt)]
  const post = payload as object as XPost
  if (typeof post.id !== 'string' || !type.startsWith('post.')) return []
  if (type === 'post.delete') {
    return [{ ...bare(owner, 'removed', post.id, receivedAt, payload), dedupeKey: `removed:${post.id}` }]
  }
  return [postActivity(calls, owner, post, includes, otherwise[type])]
}

const otherwise: { [type: string]: 'post' | 'mention' | 'reply' | 'share' } = {
  'post.mention.create': 'mention',
  'post.reply.create': 'reply',
  'post.quote.create': 'share',
  'post.repost.create': 'share',
}

function bare(owner: string, kind: Activity['kind'], remoteId: string, at: Date, raw: Json) {
  return { actorRemoteId: owner, kind, remoteId, at, raw }
}

function likeIn(owner: string, like: LikePayload, { users = [] }: Includes, receivedAt: Date): Activity {
  const { id = '', liked_tweet_id: postId, timestamp_ms } = like
  const at = timestamp_ms === undefined ? receivedAt : new Date(Number(timestamp_ms))
  // The like does not say whose it is; the other person beside it is.
  const user = users.find((person) => person.id !== owner)
  const from = user && { id: user.id, name: user.name, username: user.username, picture: user.profile_image_url }
  return { ...bare(owner, 'reaction', id, at, asJson(like)), dedupeKey: `like:${id}`, from, postId }
}

interface MessageEvent {
  id: string
  created_timestamp: string
  message_create: {
    sender_id: string
    target: { recipient_id: string }
    message_data: { text?: string; entities?: object }
  }
}

/** Messages come in the form of X's older interface; they become what reading them gives. */
function messagesIn(owner: string, { direct_message_events: events, users }: { [key: string]: Json }): Activity[] {
  const people = Object.values(objectIn(users)).map(userIn)
  const readable = Array.isArray(events)
    ? (events as object as MessageEvent[]).filter((event) => event.message_create)
    : []
  return readable.map(({ id, created_timestamp, message_create: { sender_id, target, message_data } }) => {
    const dm_conversation_id = conversationOf(sender_id, target.recipient_id)
    const created_at = new Date(Number(created_timestamp)).toISOString()
    const { text, entities } = message_data
    return messageActivity(owner, { id, text, entities, sender_id, dm_conversation_id, created_at }, { users: people })
  })
}

/** Between two people it is both their ids, the smaller first. */
const conversationOf = (one: string, other: string) =>
  [one, other].sort((left, right) => left.length - right.length || (left < right ? -1 : 1)).join('-')

const includesIn = (event: { [key: string]: Json }): Includes => {
  const { users, media } = objectIn(event.includes)
  return {
    users: Array.isArray(users) ? users.map(userIn) : [],
    media: Array.isArray(media) ? (media as Includes['media'] & Json[]) : [],
  }
}

/** X wraps some of them once more. */
const userIn = (user: Json): XUser => (objectIn(user).data ?? user) as object as XUser
