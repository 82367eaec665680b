import { download, mediaOf, storeMedia } from '../behaviour/media.ts'
import { type ApiRequest, nestedText, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { graphId, secret } from '../state/ids.ts'
import { findOrCreateThread, lastInboundAt, messagesIn, recordAction, threadsOf } from '../state/items.ts'
import type { Item, Profile, Thread } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'
import { badParameter, listResponse, refuse, timeOf, unknownObject } from './responses.ts'
import { pushEntry } from './subscriptions.ts'

/** POST /{profile}/messages on Messenger and Instagram: only to users who wrote first, within the messaging window. */
export async function sendMessage(request: ApiRequest, profile: Profile): Promise<ApiResponse> {
  const thread = recipientThread(request, profile)
  requireOpenWindow(request, thread)
  const text = nestedText(request, 'message', 'text') ?? ''
  const limit = limits[profile.network].message ?? 0
  if (text.length > limit) badParameter(`Length of param message[text] must be at most ${limit}`)
  const url = nestedText(request, 'message', 'attachment', 'payload', 'url')
  const bytes = url === undefined ? undefined : await download(url)
  if (url !== undefined && !bytes) badParameter('Failed to fetch the file from the url')
  if (!text && !bytes) badParameter('Message cannot be empty, must provide valid attachment or text')
  const { network, id } = profile
  const media = bytes ? [storeMedia(request.state, { network, id: graphId(), profile: id, bytes }).id] : []
  const message = recordAction(request.state, profile, {
    id: secret('m_'),
    kind: 'message',
    text,
    media,
    threadId: thread.id,
    parentId: thread.id,
    to: thread.person,
  })
  pushMessage(request.state, profile, message)
  return json({ recipient_id: thread.person.id, message_id: message.id })
}

export function listConversations(request: ApiRequest, profile: Profile): ApiResponse {
  const newest = (thread: Thread) => messagesIn(request.state, thread).at(-1)?.at ?? 0
  const threads = threadsOf(request.state, profile.network, profile.id)
    .filter(({ person }) => [undefined, person.id].includes(textOf(request, 'user_id')))
    .sort((left, right) => newest(right) - newest(left))
  return listResponse(
    request,
    threads,
    (thread) => {
      const { id, name } = profile
      const messages = messagesIn(request.state, thread).toReversed()
      return {
        id: thread.id,
        updated_time: timeOf(newest(thread)),
        link: `${request.origin}/facebook/profiles/${id}`,
        participants: { data: [{ ...thread.person }, { id, name, username: profile.username }] },
        senders: { data: [{ ...thread.person }] },
        message_count: messages.length,
        messages: { data: messages.map((message) => messageShape(request, message)) },
      }
    },
    'id,updated_time,link',
  )
}

export function listMessages(request: ApiRequest, thread: Thread): ApiResponse {
  const messages = messagesIn(request.state, thread).toReversed()
  return listResponse(request, messages, (message) => messageShape(request, message), 'id,created_time,from,to,message')
}

/** Pushes a message; own messages as an echo. */
export function pushMessage(state: SandboxState, profile: Profile, message: Item) {
  const [sender, recipient] = message.own ? [profile.id, message.to?.id] : [message.from.id, profile.id]
  const echo = message.own ? { is_echo: true, app_id: Number(900000000000001) } : {}
  pushEntry(state, profile, message.own ? 'message_echoes' : 'messages', {
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

function messageShape(request: ApiRequest, message: Item) {
  const media = message.media
    .map((id) => mediaOf(request.state, message.network, id))
    .filter((row) => row !== undefined)
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
              return { id, mime_type: mime, image_data: { url: `${request.origin}/media/${sha256}` } }
            }),
          },
        }
      : {}),
  }
}

function recipientThread(request: ApiRequest, profile: Profile): Thread {
  const { network, id } = profile
  const commentId = nestedText(request, 'recipient', 'comment_id')
  if (commentId !== undefined) {
    const comment = request.state.items.live(network, commentId)
    if (!comment) unknownObject(commentId)
    if (comment.at < request.state.clock.now() - 7 * day || comment.extra?.answeredPrivately) {
      refuse({ code: 10900, message: '(#10900) Activity already replied to, or too old.', type: 'OAuthException' })
    }
    request.state.items.change(comment, { extra: { ...comment.extra, answeredPrivately: true } })
    return findOrCreateThread(request.state, network, id, comment.from, () => `t_${graphId()}`)
  }
  const person = nestedText(request, 'recipient', 'id')
  const thread = threadsOf(request.state, network, id).find((row) => row.person.id === person)
  if (!thread) {
    refuse({ code: 100, subcode: 2018001, message: '(#100) No matching user found', type: 'OAuthException' })
  }
  return thread
}

function requireOpenWindow(request: ApiRequest, thread: Thread) {
  const window = textOf(request, 'messaging_type') === 'MESSAGE_TAG' && textOf(request, 'tag') === 'HUMAN_AGENT' ? 7 : 1
  const lastInbound = lastInboundAt(request.state, thread)
  const isPrivateReply = nestedText(request, 'recipient', 'comment_id') !== undefined
  if (isPrivateReply || (lastInbound !== undefined && lastInbound > request.state.clock.now() - window * day)) return
  refuse({
    code: 10,
    subcode: 2018278,
    message: '(#10) This message is sent outside of allowed window.',
    type: 'OAuthException',
  })
}
