import { keepMedia, mediaOf, pull } from '../behaviour/media.ts'
import type { Call } from '../http/request.ts'
import { deepText, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { graphId, secret } from '../state/ids.ts'
import { lastInboundAt, messagesIn, record, threadsOf, threadWith } from '../state/items.ts'
import type { Item, Profile, Thread } from '../state/rows.ts'

import { badParameter, listing, refuse, timeOf, unknownObject } from './responses.ts'
import { notify } from './subscriptions.ts'

/** POST /{profile}/messages on Messenger and Instagram: only to people who wrote first, and only for a while. */
export async function sendMessage(call: Call, profile: Profile): Promise<Answer> {
  const thread = recipientThread(call, profile)
  refuseLate(call, thread)
  const text = deepText(call, 'message', 'text') ?? ''
  const limit = limits[profile.network].message ?? 0
  if (text.length > limit) badParameter(`Length of param message[text] must be at most ${limit}`)
  const url = deepText(call, 'message', 'attachment', 'payload', 'url')
  const bytes = url === undefined ? undefined : await pull(url)
  if (url !== undefined && !bytes) badParameter('Failed to fetch the file from the url')
  if (!text && !bytes) badParameter('Message cannot be empty, must provide valid attachment or text')
  const { network, id } = profile
  const media = bytes ? [keepMedia(call.world, { network, id: graphId(), profile: id, bytes }).id] : []
  const message = record(call.world, profile, {
    id: secret('m_'),
    kind: 'message',
    text,
    media,
    threadId: thread.id,
    parentId: thread.id,
    to: thread.person,
  })
  messagePushed(call.world, profile, message)
  return json({ recipient_id: thread.person.id, message_id: message.id })
}

export function listConversations(call: Call, profile: Profile): Answer {
  const newest = (thread: Thread) => messagesIn(call.world, thread).at(-1)?.at ?? 0
  const threads = threadsOf(call.world, profile.network, profile.id)
    .filter(({ person }) => [undefined, person.id].includes(textOf(call, 'user_id')))
    .sort((left, right) => newest(right) - newest(left))
  return listing(
    call,
    threads,
    (thread) => {
      const { id, name } = profile
      const messages = messagesIn(call.world, thread).toReversed()
      return {
        id: thread.id,
        updated_time: timeOf(newest(thread)),
        link: `${call.origin}/facebook/profiles/${id}`,
        participants: { data: [{ ...thread.person }, { id, name, username: profile.username }] },
        senders: { data: [{ ...thread.person }] },
        message_count: messages.length,
        messages: { data: messages.map((message) => messageShape(call, message)) },
      }
    },
    'id,updated_time,link',
  )
}

export function listMessages(call: Call, thread: Thread): Answer {
  const messages = messagesIn(call.world, thread).toReversed()
  return listing(call, messages, (message) => messageShape(call, message), 'id,created_time,from,to,message')
}

/** Pushes a message, ours as an echo. */
export function messagePushed(world: Call['world'], profile: Profile, message: Item) {
  const [sender, recipient] = message.own ? [profile.id, message.to?.id] : [message.from.id, profile.id]
  const echo = message.own ? { is_echo: true, app_id: Number(900000000000001) } : {}
  notify(world, profile, message.own ? 'message_echoes' : 'messages', {
    messaging: [
      {
        sender: { id: sender },
        recipient: { id: recipient },
        timestamp: message.at,
        message: { mid: message.id, text: message.text, ...echo },
      },
    ],
  })
}

function messageShape(call: Call, message: Item) {
  const media = message.media.map((id) => mediaOf(call.world, message.network, id)).filter((row) => row !== undefined)
  return {
    id: message.id,
    message: message.text,
    created_time: timeOf(message.at),
    from: { ...message.from },
    to: { data: message.to ? [{ ...message.to }] : [] },
    ...(media.length
      ? {
          attachments: {
            data: media.map(({ id, mime, sha256 }) => {
              return { id, mime_type: mime, image_data: { url: `${call.origin}/media/${sha256}` } }
            }),
          },
        }
      : {}),
  }
}

function recipientThread(call: Call, profile: Profile): Thread {
  const { network, id } = profile
  const commentId = deepText(call, 'recipient', 'comment_id')
  if (commentId !== undefined) {
    const comment = call.world.items.live(network, commentId)
    if (!comment) unknownObject(commentId)
    if (comment.at < call.world.clock.now() - 7 * day || comment.extra?.answeredPrivately) {
      refuse({ code: 10900, message: '(#10900) Activity already replied to, or too old.', type: 'OAuthException' })
    }
    call.world.items.change(comment, { extra: { ...comment.extra, answeredPrivately: true } })
    return threadWith(call.world, network, id, comment.from, () => `t_${graphId()}`)
  }
  const person = deepText(call, 'recipient', 'id')
  const thread = threadsOf(call.world, network, id).find((row) => row.person.id === person)
  if (!thread) {
    refuse({ code: 100, subcode: 2018001, message: '(#100) No matching user found', type: 'OAuthException' })
  }
  return thread
}

function refuseLate(call: Call, thread: Thread) {
  const window = textOf(call, 'messaging_type') === 'MESSAGE_TAG' && textOf(call, 'tag') === 'HUMAN_AGENT' ? 7 : 1
  const heard = lastInboundAt(call.world, thread)
  const isPrivateReply = deepText(call, 'recipient', 'comment_id') !== undefined
  if (isPrivateReply || (heard !== undefined && heard > call.world.clock.now() - window * day)) return
  refuse({
    code: 10,
    subcode: 2018278,
    message: '(#10) This message is sent outside of allowed window.',
    type: 'OAuthException',
  })
}
