import { fetch } from 'undici'
import type { Call } from '../http/request.ts'
import { deepText, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { secret, snowflake } from '../state/ids.ts'
import type { Subscription } from '../state/rows.ts'
import { badRequest, isApp, notFound, refuse, requireApp, user } from './access.ts'
import { sign } from './push.ts'

const events = [
  'post.create',
  'post.delete',
  'post.mention.create',
  'post.reply.create',
  'post.quote.create',
  'post.repost.create',
  'like.create',
  'dm.received',
  'dm.sent',
  'dm.read',
  'oauth.revoke',
]

/** What everyone can see; the rest is told only to apps that show the token of the account itself. */
const publicEvents = ['post.create', 'post.delete']

/** POST /2/webhooks: accepted once the address has answered the challenge. */
export async function createWebhook(call: Call): Promise<Answer> {
  requireApp(call)
  const url = textOf(call, 'url') ?? ''
  if (!URL.canParse(url)) badRequest('UrlValidationFailed: the url is not an address', { url })
  if (webhooks(call).some(({ callback }) => callback === url))
    badRequest('DuplicateUrlFailed: the url is registered', { url })
  if (!(await confirms(url))) badRequest('CrcValidationFailed: the url did not answer the challenge', { url })
  const webhook = call.world.subscriptions.put({
    network: 'Twitter',
    id: snowflake(),
    level: 'app',
    callback: url,
    fields: [],
  })
  return json({ data: webhookShape(call, webhook) })
}

export function listWebhooks(call: Call): Answer {
  requireApp(call)
  const data = webhooks(call).map((row) => webhookShape(call, row))
  return json({ data, meta: { result_count: data.length } })
}

/** PUT /2/webhooks/:id runs the challenge again. */
export async function checkWebhook(call: Call): Promise<Answer> {
  requireApp(call)
  const valid = await confirms(call.world.subscriptions.get(`Twitter:${call.params.id}`)?.callback ?? '')
  return json({ data: { valid } })
}

export function deleteWebhook(call: Call): Answer {
  requireApp(call)
  call.world.subscriptions.delete(`Twitter:${call.params.id}`)
  return json({ data: { deleted: true } })
}

/** POST /2/activity/subscriptions: one event of one user to one webhook. */
export function subscribe(call: Call): Answer {
  const event = textOf(call, 'event_type') ?? ''
  const profile = deepText(call, 'filter', 'user_id') ?? ''
  requireRight(call, event, profile)
  const webhook = textOf(call, 'webhook_id') ?? webhooks(call)[0]?.id ?? ''
  if (!events.includes(event)) badRequest('event_type is unknown', { event_type: event })
  if (!call.world.profile('Twitter', profile)) notFound('user', profile)
  if (!call.world.subscriptions.get(`Twitter:${webhook}`)) notFound('webhook', webhook)
  const known = subscriptions(call).some(
    (row) => row.profile === profile && row.fields[0] === event && row.extra?.webhook === webhook,
  )
  if (known) refuse(409, 'Conflict', 'The subscription exists.', 'duplicate-subscription')
  const extra = { webhook, tag: textOf(call, 'tag') ?? '' }
  const row = call.world.subscriptions.put({
    network: 'Twitter',
    id: snowflake(),
    level: 'profile',
    profile,
    fields: [event],
    extra,
  })
  return json({ data: { subscription: subscriptionShape(row) } })
}

function requireRight(call: Call, event: string, profile: string) {
  if (isApp(call) && publicEvents.includes(event)) return
  if (isApp(call)) {
    refuse(403, 'Forbidden', `${event} is private: it needs the token of the account.`, 'unsupported-authentication')
  }
  if (user(call).id !== profile) {
    refuse(403, 'Forbidden', 'The subscription is not for the authenticated user.', 'not-authorized-for-resource')
  }
}

export function listSubscriptions(call: Call): Answer {
  requireApp(call)
  const data = subscriptions(call).map(subscriptionShape)
  return json({ data, meta: { total_subscriptions: data.length } })
}

export function unsubscribe(call: Call): Answer {
  requireApp(call)
  call.world.subscriptions.delete(`Twitter:${call.params.id}`)
  return json({ data: { deleted: true } })
}

const webhooks = (call: Call) =>
  call.world.subscriptions.all().filter(({ network, level }) => network === 'Twitter' && level === 'app')
const subscriptions = (call: Call) =>
  call.world.subscriptions.all().filter(({ network, level }) => network === 'Twitter' && level === 'profile')

function webhookShape(call: Call, { id, callback }: Subscription) {
  return { id, url: callback, valid: true, created_at: new Date(call.world.clock.now()).toISOString() }
}

function subscriptionShape({ id, profile, fields, extra }: Subscription) {
  return {
    subscription_id: id,
    event_type: fields[0],
    filter: { user_id: profile },
    webhook_id: extra?.webhook,
    tag: extra?.tag,
  }
}

async function confirms(callback: string): Promise<boolean> {
  if (!URL.canParse(callback)) return false
  const token = secret('')
  const url = new URL(callback)
  url.searchParams.set('crc_token', token)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(3000) })
    const answer = (await response.json()) as Record<string, unknown>
    return answer.response_token === sign(token)
  } catch {
    return false
  }
}
