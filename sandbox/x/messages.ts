import { mediaOf } from '../behaviour/media.ts'
import type { Call } from '../http/request.ts'
import { listOf, numberOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { limits, names } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { newestFirst, record, seenPerson, threadOf, threadWith } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'

import { badRequest, refuse, user } from './access.ts'
import { messageEvent, sentPushed } from './push.ts'
import { chosen } from './shapes.ts'

/** POST /2/dm_conversations/with/:participant/messages and /:conversation/messages. */
export function send(call: Call): Answer {
  const sender = user(call, 'dm.write')
  const text = textOf(call, 'text') ?? ''
  const media = listOf(call, 'attachments').map((entry) => textOf(entry as object, 'media_id') ?? '')
  if (media.some((id) => !mediaOf(call.world, 'Twitter', id))) badRequest('attachments name unknown media')
  if (!text && !media.length) badRequest('text or attachments are required')
  if (text.length > (limits.Twitter.message ?? 0)) badRequest(`text may have ${limits.Twitter.message} characters`)
  const thread = conversation(call, sender)
  const message = record(call.world, sender, {
    id: names.Twitter.message(),
    kind: 'message',
    text,
    media,
    threadId: thread.id,
    parentId: thread.id,
    to: thread.person,
  })
  sentPushed(call.world, sender, message)
  return json({ data: { dm_conversation_id: thread.id, dm_event_id: message.id } }, 201)
}

function conversation(call: Call, sender: Profile) {
  const { participant, conversation: id } = call.params
  const known = id === undefined ? undefined : threadOf(call.world, 'Twitter', id)
  if (known?.profile === sender.id) return known
  const person = seenPerson(call.world, 'Twitter', participant ?? '')
  if (!person) refuse(403, 'Forbidden', 'You cannot send messages to this user.', 'not-authorized-for-resource')
  return threadWith(call.world, 'Twitter', sender.id, person, () => names.Twitter.thread(sender, person))
}

/** GET /2/dm_events and of one conversation: the last thirty days, newest first. */
export function events(call: Call): Answer {
  const owner = user(call, 'dm.read')
  const since = call.world.clock.now() - 30 * day
  const { conversation: id, participant } = call.params
  const fits = (item: Item) =>
    item.at > since &&
    (id === undefined || item.threadId === id) &&
    (participant === undefined || [item.from.id, item.to?.id].includes(participant))
  const messages = newestFirst(call.world.items.ofProfile('Twitter', owner.id, 'message').filter(fits))
  const size = Math.min(numberOf(call, 'max_results') ?? 100, 100)
  const from = Number(textOf(call, 'pagination_token') ?? 0)
  const part = messages.slice(from, from + size)
  const people = new Map(part.map((item) => [item.from.id, item.from]))
  const wantsPeople = (textOf(call, 'expansions') ?? '').split(',').includes('sender_id')
  return json({
    ...(part.length
      ? { data: part.map((item) => chosen(call, 'dm_event.fields', ['id', 'event_type', 'text'], messageEvent(item))) }
      : {}),
    ...(wantsPeople && people.size
      ? {
          includes: {
            users: [...people.values()].map(({ id: userId, name, username }) => ({ id: userId, name, username })),
          },
        }
      : {}),
    meta: { result_count: part.length, ...(from + size < messages.length ? { next_token: String(from + size) } : {}) },
  })
}
