import { type Activity, type Actor, NetworkError, type PushRequest, type PushVerdict } from '../connector/connector.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { type Json, readJson } from '../http/json.ts'
import { hmac, isChallenge, sameText } from '../http/signature.ts'
import { messageActivity, postActivity } from './activities.ts'
import { idIn, type XClient } from './client.ts'
import { manifest } from './manifest.ts'
import { asJson, type Includes, type Listing, listingOf, objectIn, type XPost, type XUser } from './responses.ts'

export function verifyPush(client: XClient, { method, query, headers, raw, receivedAt }: PushRequest): PushVerdict {
  const secret = consumerSecret(client.app)
  if (method === 'GET') {
    const token = query.get('crc_token') ?? ''
    // Anyone may send a challenge. X sends a UUID in base64; a longer or freer text could be a forged delivery.
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
  return accepted({}, activitiesIn(client, event.event_type, event, receivedAt))
}

/** Pushes are signed with the app's consumer secret, which may differ from the login's client secret. */
const consumerSecret = ({ options, clientSecret }: NetworkApp) => options.consumerSecret ?? clientSecret

const signed = (secret: string, content: string | Uint8Array) => `sha256=${hmac('sha256', secret, 'base64', content)}`

const accepted = (body: object, items: Activity[]): PushVerdict => ({
  ok: true,
  response: { status: 200, type: 'application/json', body: JSON.stringify(body) },
  items,
})

interface LikePayload {
  id?: string
  liked_tweet_id?: string
  timestamp_ms?: string
  created_at?: string
}

function activitiesIn(client: XClient, type: string, event: { [key: string]: Json }, receivedAt: Date): Activity[] {
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
  return [postActivity(client, owner, post, includes, fallbackKinds[type])]
}

const fallbackKinds: { [type: string]: 'post' | 'mention' | 'reply' | 'share' } = {
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
  // The like doesn't name its author; it is the other person in the delivery.
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

/** Messages are pushed in the format of X's older API; they are converted to the format of polling. */
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

/** A conversation of two people is named by both ids, the smaller first. */
const conversationOf = (one: string, other: string) =>
  [one, other].sort((left, right) => left.length - right.length || (left < right ? -1 : 1)).join('-')

const includesIn = (event: { [key: string]: Json }): Includes => {
  const { users, media } = objectIn(event.includes)
  return {
    users: Array.isArray(users) ? users.map(userIn) : [],
    media: Array.isArray(media) ? (media as Includes['media'] & Json[]) : [],
  }
}

/** X wraps some users in another `data`. */
const userIn = (user: Json): XUser => (objectIn(user).data ?? user) as object as XUser

/** X pushes public activity for everyone; other activity only for accounts that authorized the app, with their token. */
const events = [
  { type: 'post.create', isPublic: true },
  { type: 'post.delete', isPublic: true },
  { type: 'post.mention.create', isPublic: false },
  { type: 'post.reply.create', isPublic: false },
  { type: 'dm.received', isPublic: false },
  { type: 'dm.sent', isPublic: false },
]
const tag = 'chorus'
const conflict = 409

interface Webhook {
  id: string
  url: string
  valid?: boolean
}

interface Subscription {
  event_type?: string
  filter?: { user_id?: string }
  webhook_id?: string
}

export async function subscribePush(client: XClient, actor: Actor, callback: string): Promise<{ renewBefore?: Date }> {
  const bearer = await appBearer(client)
  const webhook_id = await webhookFor(client, bearer, callback)
  const known = await subscribed(client, bearer, actor, webhook_id)
  for (const { type, isPublic } of events) {
    if (known.has(type)) continue
    const json = { event_type: type, filter: { user_id: actor.remoteId }, tag, webhook_id }
    const call = { method: 'POST', path: '/activity/subscriptions', json } as const
    await unlessConflict(isPublic ? client.asApp(bearer, call) : client.as(actor, call))
  }
  return {}
}

/** X can't check login credentials by themselves; the consumer keys are exchanged for the app's own token. */
export async function checkApp(client: XClient): Promise<void> {
  try {
    await appBearer(client)
  } catch (error) {
    const status = error instanceof NetworkError ? error.remote.status : undefined
    if (!(error instanceof NetworkError) || (status !== 401 && status !== 403)) throw error
    throw new NetworkError('Twitter', { kind: 'permanent', why: 'config' }, error.message, error.remote, error)
  }
}

async function appBearer(client: XClient): Promise<string> {
  const { options, clientId } = client.app
  const keys = { id: options.consumerKey ?? clientId, secret: consumerSecret(client.app) }
  const form = { grant_type: 'client_credentials' }
  const { body } = await client.withKeys(keys, { method: 'POST', path: '/oauth2/token', form })
  const { access_token } = objectIn(body)
  if (typeof access_token === 'string') return access_token
  const sentence = 'Twitter: the app got no token of its own; its consumer key and secret may be wrong.'
  throw new NetworkError('Twitter', { kind: 'permanent', why: 'config' }, sentence)
}

/** A callback URL is registered once for the whole app, by the first profile that needs it. */
async function webhookFor(client: XClient, bearer: string, callback: string): Promise<string> {
  const known = await findWebhook(client, bearer, callback)
  if (known?.valid === false) await client.asApp(bearer, { method: 'PUT', path: `/webhooks/${known.id}` })
  if (known) return known.id
  try {
    const call = { method: 'POST', path: '/webhooks', json: { url: callback } } as const
    return idIn(await client.asApp(bearer, call), 'id')
  } catch (error) {
    // Another worker may have registered it concurrently.
    const made = error instanceof NetworkError && error.fault.kind === 'permanent'
    const found = made ? await findWebhook(client, bearer, callback) : undefined
    if (found) return found.id
    throw error
  }
}

async function findWebhook(client: XClient, bearer: string, callback: string): Promise<Webhook | undefined> {
  const { data = [] } = listingOf<Webhook>(await client.asApp(bearer, { method: 'GET', path: '/webhooks' }))
  return data.find(({ url }) => url === callback)
}

const mostPages = 100

async function subscribed(client: XClient, bearer: string, actor: Actor, webhookId: string): Promise<Set<string>> {
  const types = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const query = { max_results: 1000, pagination_token: cursor }
    const response = await client.asApp(bearer, { method: 'GET', path: '/activity/subscriptions', query })
    const { data = [], meta }: Listing<Subscription> = listingOf(response)
    for (const { event_type, filter, webhook_id } of data) {
      if (event_type && filter?.user_id === actor.remoteId && webhook_id === webhookId) types.add(event_type)
    }
    cursor = meta?.next_token
    if (cursor === undefined) break
  }
  return types
}

async function unlessConflict(sent: Promise<{ body?: Json | undefined }>) {
  try {
    await sent
  } catch (error) {
    if (!(error instanceof NetworkError) || error.remote.status !== conflict) throw error
  }
}
