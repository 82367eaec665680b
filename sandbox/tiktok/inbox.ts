import { mediaOf, storeMedia } from '../behaviour/media.ts'
import { type ApiRequest, booleanOf, listOf, nestedText, numberOf, textOf } from '../http/request.ts'
import type { ApiResponse } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { hour } from '../state/clock.ts'
import { snowflake } from '../state/ids.ts'
import { findThread, lastInboundAt, messagesIn, recordAction, removeItem, threadsOf } from '../state/items.ts'
import type { Item, Media, Profile } from '../state/rows.ts'
import { businessResponse, refuseBusiness, requireBusiness } from './access.ts'
import { pushMessage } from './push.ts'

/** Number of replies included with a comment. */
const repliesShown = 3

/** GET /business/comment/list/: all top-level comments, or comments by id. */
export function listComments(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'comment.list')
  const post = video(request, owner)
  const named = listOf(request, 'comment_ids').map(String)
  const comments = named.length
    ? request.state.items.inConversation(post).filter(({ id, kind }) => kind === 'comment' && named.includes(id))
    : request.state.items.childrenOf(post, 'comment').toReversed()
  const size = Math.min(numberOf(request, 'max_count') ?? 20, 30)
  const from = numberOf(request, 'cursor') ?? 0
  const withReplies = booleanOf(request, 'include_replies')
  const part = comments.slice(from, from + size).map((comment) => commentShape(request, comment, withReplies))
  return businessResponse({ comments: part, cursor: from + part.length, has_more: from + size < comments.length })
}

export function listReplies(request: ApiRequest): ApiResponse {
  video(request, requireBusiness(request, 'comment.list'))
  const all = request.state.items.childrenOf(comment(request), 'comment')
  const replies = textOf(request, 'sort_order') === 'desc' ? all.toReversed() : all
  const size = Math.min(numberOf(request, 'max_count') ?? 20, 30)
  const from = numberOf(request, 'cursor') ?? 0
  const part = replies.slice(from, from + size).map((reply) => commentShape(request, reply, false))
  return businessResponse({ comments: part, cursor: from + part.length, has_more: from + size < replies.length })
}

export function createComment(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'comment.list.manage')
  return createOwnComment(request, owner, video(request, owner))
}

/** A reply to a reply is attached to the same comment. */
export function createReply(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'comment.list.manage')
  video(request, owner)
  const to = comment(request)
  const top = to.parentId === to.postId ? to : request.state.items.live('TikTok', to.parentId ?? '')
  return createOwnComment(request, owner, top ?? to)
}

export function likeComment(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'comment.list.manage')
  const to = comment(request)
  const known = request.state.items.childrenOf(to, 'like').filter(({ own }) => own)
  if (textOf(request, 'action') === 'UNLIKE') for (const given of known) removeItem(request.state, given)
  else if (!known.length) {
    recordAction(request.state, owner, {
      id: `like-${snowflake()}`,
      kind: 'like',
      postId: to.postId ?? to.id,
      parentId: to.id,
      text: '',
    })
  }
  return businessResponse({})
}

export function hideComment(request: ApiRequest): ApiResponse {
  video(request, requireBusiness(request, 'comment.list.manage'))
  request.state.items.change(comment(request), { hidden: textOf(request, 'action') !== 'UNHIDE' })
  return businessResponse({})
}

export function deleteComment(request: ApiRequest): ApiResponse {
  requireBusiness(request, 'comment.list.manage')
  const found = comment(request)
  if (!found.own) refuseBusiness(40001, 'Only own comments can be deleted.')
  removeItem(request.state, found)
  return businessResponse({})
}

function createOwnComment(request: ApiRequest, owner: Profile, parent: Item): ApiResponse {
  const text = textOf(request, 'text') ?? ''
  const image = imageIn(request, owner)
  if ((!text && !image) || text.length > limits.TikTok.comment || /https?:\/\//.test(text)) {
    refuseBusiness(40002, `text takes 1 to ${limits.TikTok.comment} characters and no links.`)
  }
  const created = recordAction(request.state, owner, {
    id: snowflake(),
    kind: 'comment',
    postId: parent.postId ?? parent.id,
    parentId: parent.id,
    text,
    media: image ? [image.id] : [],
  })
  return businessResponse(commentShape(request, created, false))
}

function commentShape(request: ApiRequest, item: Item, withReplies: boolean): Record<string, unknown> {
  const replies = request.state.items.childrenOf(item, 'comment')
  return {
    comment_id: item.id,
    video_id: item.postId,
    unique_identifier: item.from.id,
    text: item.text,
    create_time: String(Math.floor(item.at / 1000)),
    username: item.from.username,
    display_name: item.from.name,
    owner: item.own,
    likes: request.state.items.childrenOf(item, 'like').length,
    replies: replies.length,
    status: item.hidden ? 'HIDDEN' : 'PUBLIC',
    ...(item.media[0] === undefined ? {} : { image_url: imageUrl(request, item.media[0]) }),
    ...(item.parentId === item.postId ? {} : { parent_comment_id: item.parentId }),
    ...(withReplies
      ? { reply_list: replies.slice(0, repliesShown).map((reply) => commentShape(request, reply, false)) }
      : {}),
  }
}

function video(request: ApiRequest, owner: Profile): Item {
  const found = request.state.items.live('TikTok', textOf(request, 'video_id') ?? '')
  if (found?.profile !== owner.id) refuseBusiness(40002, 'video_id is not a video of this account.')
  return found
}

function comment(request: ApiRequest): Item {
  const found = request.state.items.live('TikTok', textOf(request, 'comment_id') ?? '')
  if (found?.kind !== 'comment') refuseBusiness(40002, 'comment_id is not known.')
  return found
}

const acceptedTypes = ['image/jpeg', 'image/png', 'image/webp']
const largest = 5_000_000
const smallest = 360

/** POST /business/comment/image/upload/: an image for a later comment. */
export function uploadCommentImage(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'comment.list.manage')
  const file = request.files.image_file
  if (!file) refuseBusiness(40002, 'image_file: Missing data for required field.')
  const stored = storeMedia(request.state, { network: 'TikTok', id: snowflake(), profile: owner.id, bytes: file.bytes })
  if (!acceptedTypes.includes(stored.mime) || stored.bytes > largest) {
    refuseBusiness(40002, 'image_file takes JPG, WebP or PNG of at most 5 MB.')
  }
  const { width = smallest, height = smallest } = stored
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  if (short < smallest || short > 1080 || long > 1920) {
    refuseBusiness(40002, 'image_file takes 360 x 360 to 1080 x 1920 or 1920 x 1080 pixels.')
  }
  return businessResponse({ image_uri: stored.id, width: stored.width ?? 0, height: stored.height ?? 0 })
}

/** The image of a comment, which must include its dimensions. */
function imageIn(request: ApiRequest, owner: Profile): Media | undefined {
  const uri = textOf(request, 'image_uri')
  if (uri === undefined) return undefined
  const image = mediaOf(request.state, 'TikTok', uri)
  if (image?.profile !== owner.id) refuseBusiness(40002, 'image_uri is not known.')
  if (numberOf(request, 'image_width') === undefined || numberOf(request, 'image_height') === undefined) {
    refuseBusiness(40002, 'image_width and image_height are required with image_uri.')
  }
  return image
}

const imageUrl = (request: ApiRequest, id: string) => `${request.origin}/tiktok/comment-images/${id}`

/** POST /business/message/send/: only within 48 hours of the last message from the other side. */
export function sendMessage(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'message.list.send')
  const thread = findThread(request.state, 'TikTok', textOf(request, 'recipient') ?? '')
  if (thread?.profile !== owner.id) refuseBusiness(40002, 'recipient is not a conversation of this account.')
  const lastInbound = lastInboundAt(request.state, thread) ?? 0
  if (lastInbound < request.state.clock.now() - 48 * hour)
    refuseBusiness(40002, 'The 48 hour messaging window is closed.')
  const text = nestedText(request, 'text', 'body') ?? ''
  if (!text || text.length > (limits.TikTok.message ?? 0)) refuseBusiness(40002, 'text.body is empty or too long.')
  const message = recordAction(request.state, owner, {
    id: snowflake(),
    kind: 'message',
    text,
    threadId: thread.id,
    parentId: thread.id,
    to: thread.person,
  })
  pushMessage(request.state, owner, message)
  return businessResponse({ message: { message_id: message.id } })
}

export function listConversations(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'message.list.read')
  const conversations = threadsOf(request.state, 'TikTok', owner.id).map((thread) => ({
    conversation_id: thread.id,
    participant: { user_id: thread.person.id, display_name: thread.person.name, username: thread.person.username },
    update_time: messagesIn(request.state, thread).at(-1)?.at,
  }))
  return businessResponse({ conversations, has_more: false })
}

export function listMessages(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'message.list.read')
  const thread = findThread(request.state, 'TikTok', textOf(request, 'conversation_id') ?? '')
  if (thread?.profile !== owner.id) refuseBusiness(40002, 'conversation_id is not known.')
  const messages = messagesIn(request.state, thread)
    .toReversed()
    .map((message) => ({
      message_id: message.id,
      message_type: 'TEXT',
      sender: message.from.id,
      text: { body: message.text },
      timestamp: message.at,
    }))
  return businessResponse({ messages, has_more: false })
}
