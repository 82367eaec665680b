import { fetch } from 'undici'
import { type ApiRequest, listOf, numberOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { idFormats, limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { secret } from '../state/ids.ts'
import { recordAction, threadsOf } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'
import { actor, denied, grantFor } from './access.ts'
import { badField, idOf, notFound, parseList, parseTimeRange, refuse } from './protocol.ts'
import { notification, signature, socialActions } from './push.ts'

/** GET /rest/organizationalEntityNotifications?q=criteria: the last sixty days, newest first. */
export function notifications(request: ApiRequest): ApiResponse {
  const page = actor(request, textOf(request, 'organizationalEntity'), 'admin')
  const now = request.state.clock.now()
  const { start = 0, end = now } = parseTimeRange(textOf(request, 'timeRange'))
  const actions = parseList(textOf(request, 'actions'))
  const found = request.state.items
    .ofProfile('LinkedIn', page.id, 'comment', 'mention', 'like')
    .filter(({ own, at }) => !own && at >= Math.max(start, now - 60 * day) && at <= end)
    .map((item) => notification(request.state, page, item))
    .filter(({ action }) => !actions.length || actions.includes(action))
    .toReversed()
  const from = numberOf(request, 'start') ?? 0
  const count = numberOf(request, 'count') ?? 10
  return json({
    elements: found.slice(from, from + count),
    paging: { start: from, count, total: found.length, links: [] },
  })
}

/** PUT /rest/eventSubscriptions/(…,entity:urn,eventType:…): accepted after the handshake. */
export async function subscribe(request: ApiRequest): Promise<ApiResponse> {
  const page = subscribedPage(request)
  const callback = textOf(request, 'webhook') ?? ''
  if (!URL.canParse(callback)) badField('/webhook', 'INVALID_URL', 'webhook must be an address', 400)
  if (!(await passesChallenge(callback)))
    refuse(400, 'WEBHOOK_VALIDATION_FAILED', 'The webhook did not answer the challenge')
  request.state.subscriptions.put({
    network: 'LinkedIn',
    id: page.id,
    level: 'both',
    profile: page.id,
    callback,
    fields: [socialActions],
  })
  return { status: 204 }
}

export function unsubscribe(request: ApiRequest): ApiResponse {
  request.state.subscriptions.delete(`LinkedIn:${subscribedPage(request).id}`)
  return { status: 204 }
}

function subscribedPage(request: ApiRequest): Profile {
  return actor(request, /entity:(urn:li:organization:\d+)/.exec(request.params.key ?? '')?.[1], 'admin')
}

async function passesChallenge(callback: string): Promise<boolean> {
  const challengeCode = secret('')
  const url = new URL(callback)
  url.searchParams.set('challengeCode', challengeCode)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(3000) })
    const body = (await response.json()) as Record<string, unknown>
    return body.challengeCode === challengeCode && body.challengeResponse === signature(challengeCode)
  } catch {
    return false
  }
}

/** POST /v2/messages: partners only, within existing conversations. */
export function sendMessage(request: ApiRequest): ApiResponse {
  const sender = actor(request, textOf(request, 'sender') ?? `urn:li:person:${grantFor(request).account}`)
  if (sender.tier === 'self-serve') refuse(403, 'ACCESS_DENIED', 'The app is not approved for messages', 100)
  const text = textOf(request, 'body') ?? ''
  if (!text) badField('/body', 'FIELD_REQUIRED', 'body is required', 400)
  if (text.length > (limits.LinkedIn.message ?? 0)) badField('/body', 'FIELD_LENGTH_TOO_LONG', 'body is too long')
  const recipient = idOf(String(listOf(request, 'recipients')[0] ?? ''))
  const thread = threadsOf(request.state, 'LinkedIn', sender.id).find(
    ({ id, person }) => id === textOf(request, 'thread') || person.id === recipient,
  )
  if (!thread) notFound(`a conversation with ${recipient}`)
  const message = recordAction(request.state, sender, {
    id: idFormats.LinkedIn.message(),
    kind: 'message',
    text,
    media: listOf(request, 'attachments').map(String),
    threadId: thread.id,
    parentId: thread.id,
    to: thread.person,
  })
  return json({ id: message.id, thread: thread.id }, 201, { 'x-restli-id': message.id })
}

/** GET /v2/messages?q=mailbox&owner=urn: a format of this sandbox, newest first. */
export function listMessages(request: ApiRequest): ApiResponse {
  const owner = actor(request, textOf(request, 'owner') ?? `urn:li:person:${grantFor(request).account}`, 'r')
  if (owner.tier === 'self-serve') denied()
  const since = numberOf(request, 'since') ?? 0
  const messages = request.state.items.ofProfile('LinkedIn', owner.id, 'message').filter(({ at }) => at >= since)
  return json({ elements: messages.toReversed().slice(0, 100).map(messageShape) })
}

function messageShape({ id, threadId, text, at, own, from, to, profile }: Item) {
  const person = own ? to : from
  return {
    id,
    thread: threadId,
    direction: own ? 'OUTBOUND' : 'INBOUND',
    owner: profile,
    participant: { urn: `urn:li:person:${person?.id}`, name: person?.name, vanityName: person?.username },
    body: text,
    createdAt: at,
  }
}
