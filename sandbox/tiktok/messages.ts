import type { Answer, Call } from '../http/call.ts'
import { deepText, textOf } from '../http/fields.ts'
import { limits } from '../manifests.ts'
import { hour } from '../state/clock.ts'
import { record } from '../state/deeds.ts'
import { snowflake } from '../state/ids.ts'
import { lastInboundAt, messagesIn, threadOf, threadsOf } from '../state/threads.ts'
import { business } from './access.ts'
import { messagePushed } from './push.ts'
import { businessAnswer, refuseBusiness } from './refusals.ts'

/** POST /business/message/send/: the other side wrote first, and not longer than two days ago. */
export function sendMessage(call: Call): Answer {
  const owner = business(call, 'message.list.send')
  const thread = threadOf(call.world, 'TikTok', textOf(call, 'recipient') ?? '')
  if (thread?.profile !== owner.id) refuseBusiness(40002, 'recipient is not a conversation of this account.')
  const heard = lastInboundAt(call.world, thread) ?? 0
  if (heard < call.world.clock.now() - 48 * hour) refuseBusiness(40002, 'The 48 hour messaging window is closed.')
  const text = deepText(call, 'text', 'body') ?? ''
  if (!text || text.length > (limits.TikTok.message ?? 0)) refuseBusiness(40002, 'text.body is empty or too long.')
  const message = record(call.world, owner, {
    id: snowflake(),
    kind: 'message',
    text,
    threadId: thread.id,
    parentId: thread.id,
    to: thread.person,
  })
  messagePushed(call.world, owner, message)
  return businessAnswer({ message: { message_id: message.id } })
}

export function listConversations(call: Call): Answer {
  const owner = business(call, 'message.list.read')
  const conversations = threadsOf(call.world, 'TikTok', owner.id).map((thread) => ({
    conversation_id: thread.id,
    participant: { user_id: thread.person.id, display_name: thread.person.name, username: thread.person.username },
    update_time: messagesIn(call.world, thread).at(-1)?.at,
  }))
  return businessAnswer({ conversations, has_more: false })
}

export function listMessages(call: Call): Answer {
  const owner = business(call, 'message.list.read')
  const thread = threadOf(call.world, 'TikTok', textOf(call, 'conversation_id') ?? '')
  if (thread?.profile !== owner.id) refuseBusiness(40002, 'conversation_id is not known.')
  const messages = messagesIn(call.world, thread)
    .toReversed()
    .map((message) => ({
      message_id: message.id,
      message_type: 'TEXT',
      sender: message.from.id,
      text: { body: message.text },
      timestamp: message.at,
    }))
  return businessAnswer({ messages, has_more: false })
}
