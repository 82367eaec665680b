import { fetch } from 'undici'
import type { Call } from '../http/request.ts'
import { listOf, numberOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { limits, names } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { secret } from '../state/ids.ts'
import { record, threadsOf } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'
import { actor, denied, grantFor } from './access.ts'
import { badField, idOf, listed, missing, rangeIn, refuse } from './protocol.ts'
import { notification, signature, socialActions } from './push.ts'

/** GET /rest/organizationalEntityNotifications?q=criteria: the last sixty days, newest first. */
export function notifications(call: Call): Answer {
  const page = actor(call, textOf(call, 'organizationalEntity'), 'admin')
  const now = call.world.clock.now()
  const { start = 0, end = now } = rangeIn(textOf(call, 'timeRange'))
  const actions = listed(textOf(call, 'actions'))
  const found = call.world.items
    .ofProfile('LinkedIn', page.id, 'comment', 'mention', 'like')
    .filter(({ own, at }) => !own && at >= Math.max(start, now - 60 * day) && at <= end)
    .map((item) => notification(call.world, page, item))
    .filter(({ action }) => !actions.length || actions.includes(action))
    .toReversed()
  const from = numberOf(call, 'start') ?? 0
  const count = numberOf(call, 'count') ?? 10
  return json({
    elements: found.slice(from, from + count),
    paging: { start: from, count, total: found.length, links: [] },
  })
}

/** PUT /rest/eventSubscriptions/(…,entity:urn,eventType:…): accepted after the handshake. */
export async function subscribe(call: Call): Promise<Answer> {
  const page = subscribed(call)
  const callback = textOf(call, 'webhook') ?? ''
  if (!URL.canParse(callback)) badField('/webhook', 'INVALID_URL', 'webhook must be an address', 400)
  if (!(await confirms(callback))) refuse(400, 'WEBHOOK_VALIDATION_FAILED', 'The webhook did not answer the challenge')
  call.world.subscriptions.put({
    network: 'LinkedIn',
    id: page.id,
    level: 'both',
    profile: page.id,
    callback,
    fields: [socialActions],
  })
  return { status: 204 }
}

export function unsubscribe(call: Call): Answer {
  call.world.subscriptions.delete(`LinkedIn:${subscribed(call).id}`)
  return { status: 204 }
}

function subscribed(call: Call): Profile {
  return actor(call, /entity:(urn:li:organization:\d+)/.exec(call.params.key ?? '')?.[1], 'admin')
}

async function confirms(callback: string): Promise<boolean> {
  const challengeCode = secret('')
  const url = new URL(callback)
  url.searchParams.set('challengeCode', challengeCode)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(3000) })
    const answer = (await response.json()) as Record<string, unknown>
    return answer.challengeCode === challengeCode && answer.challengeResponse === signature(challengeCode)
  } catch {
    return false
  }
}

/** POST /v2/messages: for partners only, to people who wrote first or are known. */
export function sendMessage(call: Call): Answer {
  const sender = actor(call, textOf(call, 'sender') ?? `urn:li:person:${grantFor(call).account}`)
  if (sender.tier === 'self-serve') refuse(403, 'ACCESS_DENIED', 'The app is not approved for messages', 100)
  const text = textOf(call, 'body') ?? ''
  if (!text) badField('/body', 'FIELD_REQUIRED', 'body is required', 400)
  if (text.length > (limits.LinkedIn.message ?? 0)) badField('/body', 'FIELD_LENGTH_TOO_LONG', 'body is too long')
  const recipient = idOf(String(listOf(call, 'recipients')[0] ?? ''))
  const thread = threadsOf(call.world, 'LinkedIn', sender.id).find(
    ({ id, person }) => id === textOf(call, 'thread') || person.id === recipient,
  )
  if (!thread) missing(`a conversation with ${recipient}`)
  const message = record(call.world, sender, {
    id: names.LinkedIn.message(),
    kind: 'message',
    text,
    media: listOf(call, 'attachments').map(String),
    threadId: thread.id,
    parentId: thread.id,
    to: thread.person,
  })
  return json({ id: message.id, thread: thread.id }, 201, { 'x-restli-id': message.id })
}

/** GET /v2/messages?q=mailbox&owner=urn: the sandbox's own form, newest first. */
export function listMessages(call: Call): Answer {
  const owner = actor(call, textOf(call, 'owner') ?? `urn:li:person:${grantFor(call).account}`, 'r')
  if (owner.tier === 'self-serve') denied()
  const since = numberOf(call, 'since') ?? 0
  const messages = call.world.items.ofProfile('LinkedIn', owner.id, 'message').filter(({ at }) => at >= since)
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
