import { fetch } from 'undici'
import { type ApiRequest, nestedText, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { secret, snowflake } from '../state/ids.ts'
import type { Subscription } from '../state/rows.ts'
import { badRequest, isApp, notFound, refuse, requireApp, requireUser } from './access.ts'
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

/** Public events; the others require the token of the account. */
const publicEvents = ['post.create', 'post.delete']

/** POST /2/webhooks: accepted after the challenge. */
export async function createWebhook(request: ApiRequest): Promise<ApiResponse> {
  requireApp(request)
  const url = textOf(request, 'url') ?? ''
  if (!URL.canParse(url)) badRequest('UrlValidationFailed: the url is not an address', { url })
  if (webhooks(request).some(({ callback }) => callback === url))
    badRequest('DuplicateUrlFailed: the url is registered', { url })
  if (!(await passesChallenge(url))) badRequest('CrcValidationFailed: the url did not answer the challenge', { url })
  const webhook = request.state.subscriptions.put({
    network: 'Twitter',
    id: snowflake(),
    level: 'app',
    callback: url,
    fields: [],
  })
  return json({ data: webhookShape(request, webhook) })
}

export function listWebhooks(request: ApiRequest): ApiResponse {
  requireApp(request)
  const data = webhooks(request).map((row) => webhookShape(request, row))
  return json({ data, meta: { result_count: data.length } })
}

/** PUT /2/webhooks/:id: repeats the challenge. */
export async function checkWebhook(request: ApiRequest): Promise<ApiResponse> {
  requireApp(request)
  const valid = await passesChallenge(request.state.subscriptions.get(`Twitter:${request.params.id}`)?.callback ?? '')
  return json({ data: { valid } })
}

export function deleteWebhook(request: ApiRequest): ApiResponse {
  requireApp(request)
  request.state.subscriptions.delete(`Twitter:${request.params.id}`)
  return json({ data: { deleted: true } })
}

/** POST /2/activity/subscriptions: one event type of one user to one webhook. */
export function subscribe(request: ApiRequest): ApiResponse {
  const event = textOf(request, 'event_type') ?? ''
  const profile = nestedText(request, 'filter', 'user_id') ?? ''
  requireAccess(request, event, profile)
  const webhook = textOf(request, 'webhook_id') ?? webhooks(request)[0]?.id ?? ''
  if (!events.includes(event)) badRequest('event_type is unknown', { event_type: event })
  if (!request.state.profile('Twitter', profile)) notFound('user', profile)
  if (!request.state.subscriptions.get(`Twitter:${webhook}`)) notFound('webhook', webhook)
  const known = subscriptions(request).some(
    (row) => row.profile === profile && row.fields[0] === event && row.extra?.webhook === webhook,
  )
  if (known) refuse(409, 'Conflict', 'The subscription exists.', 'duplicate-subscription')
  const extra = { webhook, tag: textOf(request, 'tag') ?? '' }
  const row = request.state.subscriptions.put({
    network: 'Twitter',
    id: snowflake(),
    level: 'profile',
    profile,
    fields: [event],
    extra,
  })
  return json({ data: { subscription: subscriptionShape(row) } })
}

function requireAccess(request: ApiRequest, event: string, profile: string) {
  if (isApp(request) && publicEvents.includes(event)) return
  if (isApp(request)) {
    refuse(403, 'Forbidden', `${event} is private: it needs the token of the account.`, 'unsupported-authentication')
  }
  if (requireUser(request).id !== profile) {
    refuse(403, 'Forbidden', 'The subscription is not for the authenticated user.', 'not-authorized-for-resource')
  }
}

export function listSubscriptions(request: ApiRequest): ApiResponse {
  requireApp(request)
  const data = subscriptions(request).map(subscriptionShape)
  return json({ data, meta: { total_subscriptions: data.length } })
}

export function unsubscribe(request: ApiRequest): ApiResponse {
  requireApp(request)
  request.state.subscriptions.delete(`Twitter:${request.params.id}`)
  return json({ data: { deleted: true } })
}

const webhooks = (request: ApiRequest) =>
  request.state.subscriptions.all().filter(({ network, level }) => network === 'Twitter' && level === 'app')
const subscriptions = (request: ApiRequest) =>
  request.state.subscriptions.all().filter(({ network, level }) => network === 'Twitter' && level === 'profile')

function webhookShape(request: ApiRequest, { id, callback }: Subscription) {
  return { id, url: callback, valid: true, created_at: new Date(request.state.clock.now()).toISOString() }
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

async function passesChallenge(callback: string): Promise<boolean> {
  if (!URL.canParse(callback)) return false
  const token = secret('')
  const url = new URL(callback)
  url.searchParams.set('crc_token', token)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(3000) })
    const body = (await response.json()) as Record<string, unknown>
    return body.response_token === sign(token)
  } catch {
    return false
  }
}
