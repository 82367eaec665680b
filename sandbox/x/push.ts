import { createHmac, randomUUID } from 'node:crypto'
import { apps } from '../manifests.ts'
import type { Item, Profile } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'
import { renderText } from './shapes.ts'

/** Pushes the action of another user to subscribers. */
export function twitterPush(state: SandboxState, profile: Profile, item: Item) {
  const types = {
    reply: 'post.reply.create',
    mention: 'post.mention.create',
    message: 'dm.received',
    like: 'like.create',
    share: 'post.quote.create',
  }
  if (item.removedAt) return send(state, profile, item, 'post.delete')
  // On X an edited post is a new post with its own id.
  if (item.updatedAt) return
  if (item.own) return pushSent(state, profile, item)
  const type = types[item.kind as keyof typeof types]
  if (type) send(state, profile, item, type)
}

/** Own posts and messages are pushed as well. */
export function pushSent(state: SandboxState, profile: Profile, item: Item) {
  send(state, profile, item, item.kind === 'message' ? 'dm.sent' : 'post.create')
}

export function sign(text: string): string {
  return `sha256=${createHmac('sha256', apps.Twitter.secret).update(text).digest('base64')}`
}

export function messageEvent(item: Item) {
  return {
    id: item.id,
    event_type: 'MessageCreate',
    ...renderText({ ...item, media: [] }),
    sender_id: item.from.id,
    dm_conversation_id: item.threadId,
    created_at: new Date(item.at).toISOString(),
    ...(item.media.length ? { attachments: { media_keys: item.media.map((id) => `3_${id}`) } } : {}),
  }
}

function send(state: SandboxState, profile: Profile, item: Item, type: string) {
  for (const subscription of state.subscriptions.all()) {
    const { network, level, profile: profileId, fields, extra } = subscription
    if (network !== 'Twitter' || level !== 'profile' || profileId !== profile.id || !fields.includes(type)) continue
    const url = state.subscriptions.get(`Twitter:${extra?.webhook}`)?.callback
    if (!url) continue
    billEvent(state, item, type)
    const { id, name, username } = item.from
    const data = {
      event_uuid: randomUUID(),
      event_type: type,
      filter: { user_id: profile.id },
      tag: extra?.tag ?? '',
      payload: payload(state, item),
      ...(item.kind === 'message' ? {} : { includes: { users: [{ id, name, username }] } }),
    }
    state.push.send({
      network: 'Twitter',
      profile: profile.id,
      url,
      type: 'application/json',
      body: JSON.stringify({ data }),
      sign: (body) => ({ 'x-twitter-webhooks-signature': sign(body) }),
    })
  }
}

/** Delivered events are charged like reads, once per resource and day. */
function billEvent(state: SandboxState, { id }: Item, type: string) {
  const resource = { id, now: state.clock.now() }
  if (type === 'dm.received') state.usage.charge('Twitter', 'DM Event: Read', 10_000, resource)
  else if (type.startsWith('post.') && type !== 'post.delete')
    state.usage.charge('Twitter', 'Posts: Read', 5_000, resource)
}

function payload(state: SandboxState, item: Item) {
  if (item.kind === 'message') return messagePayload(item)
  const parent = item.parentId === undefined ? undefined : state.items.get(`Twitter:${item.parentId}`)
  if (item.kind === 'like') {
    const [liked_tweet_id, liked_tweet_author_id] = [item.parentId, parent?.from.id]
    return { id: item.id, timestamp_ms: String(item.at), liked_tweet_id, liked_tweet_author_id }
  }
  return {
    id: item.id,
    ...renderText(item),
    author_id: item.from.id,
    created_at: new Date(item.at).toISOString(),
    conversation_id: item.postId ?? item.id,
    edit_history_tweet_ids: [item.id],
    ...(parent && item.kind === 'share' && { referenced_tweets: [{ type: 'quoted', id: parent.id }] }),
    ...(parent &&
      item.kind !== 'share' && {
        in_reply_to_tweet_id: parent.id,
        in_reply_to_user_id: parent.from.id,
        referenced_tweets: [{ type: 'replied_to', id: parent.id }],
      }),
  }
}

/** Messages still use the format of the previous API version. */
function messagePayload({ id, at, text, from, to }: Item) {
  const people = [from, to].filter((person) => person !== undefined)
  const message_create = {
    target: { recipient_id: to?.id },
    sender_id: from.id,
    message_data: { text, entities: { hashtags: [], symbols: [], user_mentions: [], urls: [] } },
  }
  return {
    direct_message_events: [{ type: 'message_create', id, created_timestamp: String(at), message_create }],
    users: Object.fromEntries(people.map(({ id, name, username }) => [id, { data: { id, name, username } }])),
  }
}
