import { mediaOf } from '../behaviour/media.ts'
import { type ApiRequest, listOf, numberOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { idFormats, limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { findOrCreateThread, findPerson, findThread, newestFirst, recordAction } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'
import { badRequest, refuse, requireUser } from './access.ts'
import { messageEvent, pushSent } from './push.ts'
import { selectFields } from './shapes.ts'

/** POST /2/dm_conversations/with/:participant/messages and /:conversation/messages. */
export function send(request: ApiRequest): ApiResponse {
  const sender = requireUser(request, 'dm.write')
  const text = textOf(request, 'text') ?? ''
  const media = listOf(request, 'attachments').map((entry) => textOf(entry as object, 'media_id') ?? '')
  if (media.some((id) => !mediaOf(request.state, 'Twitter', id))) badRequest('attachments name unknown media')
  if (!text && !media.length) badRequest('text or attachments are required')
  if (text.length > (limits.Twitter.message ?? 0)) badRequest(`text may have ${limits.Twitter.message} characters`)
  const thread = conversation(request, sender)
  const message = recordAction(request.state, sender, {
    id: idFormats.Twitter.message(),
    kind: 'message',
    text,
    media,
    threadId: thread.id,
    parentId: thread.id,
    to: thread.person,
  })
  pushSent(request.state, sender, message)
  return json({ data: { dm_conversation_id: thread.id, dm_event_id: message.id } }, 201)
}

function conversation(request: ApiRequest, sender: Profile) {
  const { participant, conversation: id } = request.params
  const known = id === undefined ? undefined : findThread(request.state, 'Twitter', id)
  if (known?.profile === sender.id) return known
  const person = findPerson(request.state, 'Twitter', participant ?? '')
  if (!person) refuse(403, 'Forbidden', 'You cannot send messages to this user.', 'not-authorized-for-resource')
  return findOrCreateThread(request.state, 'Twitter', sender.id, person, () => idFormats.Twitter.thread(sender, person))
}

/** GET /2/dm_events, also of one conversation: the last 30 days, newest first. */
export function events(request: ApiRequest): ApiResponse {
  const owner = requireUser(request, 'dm.read')
  const since = request.state.clock.now() - 30 * day
  const { conversation: id, participant } = request.params
  const fits = (item: Item) =>
    item.at > since &&
    (id === undefined || item.threadId === id) &&
    (participant === undefined || [item.from.id, item.to?.id].includes(participant))
  const messages = newestFirst(request.state.items.ofProfile('Twitter', owner.id, 'message').filter(fits))
  const size = Math.min(numberOf(request, 'max_results') ?? 100, 100)
  const from = Number(textOf(request, 'pagination_token') ?? 0)
  const part = messages.slice(from, from + size)
  const people = new Map(part.map((item) => [item.from.id, item.from]))
  const includesUsers = (textOf(request, 'expansions') ?? '').split(',').includes('sender_id')
  return json({
    ...(part.length
      ? {
          data: part.map((item) =>
            selectFields(request, 'dm_event.fields', ['id', 'event_type', 'text'], messageEvent(item)),
          ),
        }
      : {}),
    ...(includesUsers && people.size
      ? {
          includes: {
            users: [...people.values()].map(({ id: userId, name, username }) => ({ id: userId, name, username })),
          },
        }
      : {}),
    meta: { result_count: part.length, ...(from + size < messages.length ? { next_token: String(from + size) } : {}) },
  })
}
