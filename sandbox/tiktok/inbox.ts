import { keepMedia, mediaOf } from '../behaviour/media.ts'
import { type Call, deepText, flagOf, listOf, numberOf, textOf } from '../http/request.ts'
import type { Answer } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { hour } from '../state/clock.ts'
import { snowflake } from '../state/ids.ts'
import { lastInboundAt, messagesIn, record, remove, threadOf, threadsOf } from '../state/items.ts'
import type { Item, Media, Profile } from '../state/rows.ts'

import { business, businessAnswer, refuseBusiness } from './access.ts'
import { messagePushed } from './push.ts'

/** Replies that come along with their comment; the rest has a list of its own. */
const repliesShown = 3

/** GET /business/comment/list/: all top-level comments, or those among all that are named. */
export function listComments(call: Call): Answer {
  const owner = business(call, 'comment.list')
  const post = video(call, owner)
  const named = listOf(call, 'comment_ids').map(String)
  const comments = named.length
    ? call.world.items.inConversation(post).filter(({ id, kind }) => kind === 'comment' && named.includes(id))
    : call.world.items.under(post, 'comment').toReversed()
  const size = Math.min(numberOf(call, 'max_count') ?? 20, 30)
  const from = numberOf(call, 'cursor') ?? 0
  const withReplies = flagOf(call, 'include_replies')
  const part = comments.slice(from, from + size).map((comment) => commentShape(call, comment, withReplies))
  return businessAnswer({ comments: part, cursor: from + part.length, has_more: from + size < comments.length })
}

export function listReplies(call: Call): Answer {
  video(call, business(call, 'comment.list'))
  const all = call.world.items.under(comment(call), 'comment')
  const replies = textOf(call, 'sort_order') === 'desc' ? all.toReversed() : all
  const size = Math.min(numberOf(call, 'max_count') ?? 20, 30)
  const from = numberOf(call, 'cursor') ?? 0
  const part = replies.slice(from, from + size).map((reply) => commentShape(call, reply, false))
  return businessAnswer({ comments: part, cursor: from + part.length, has_more: from + size < replies.length })
}

export function createComment(call: Call): Answer {
  const owner = business(call, 'comment.list.manage')
  return said(call, owner, video(call, owner))
}

/** A reply to a reply stands under the same comment. */
export function createReply(call: Call): Answer {
  const owner = business(call, 'comment.list.manage')
  video(call, owner)
  const to = comment(call)
  const top = to.parentId === to.postId ? to : call.world.items.live('TikTok', to.parentId ?? '')
  return said(call, owner, top ?? to)
}

export function likeComment(call: Call): Answer {
  const owner = business(call, 'comment.list.manage')
  const to = comment(call)
  const known = call.world.items.under(to, 'like').filter(({ own }) => own)
  if (textOf(call, 'action') === 'UNLIKE') for (const given of known) remove(call.world, given)
  else if (!known.length) {
    record(call.world, owner, {
      id: `like-${snowflake()}`,
      kind: 'like',
      postId: to.postId ?? to.id,
      parentId: to.id,
      text: '',
    })
  }
  return businessAnswer({})
}

export function hideComment(call: Call): Answer {
  video(call, business(call, 'comment.list.manage'))
  call.world.items.change(comment(call), { hidden: textOf(call, 'action') !== 'UNHIDE' })
  return businessAnswer({})
}

export function deleteComment(call: Call): Answer {
  business(call, 'comment.list.manage')
  const found = comment(call)
  if (!found.own) refuseBusiness(40001, 'Only own comments can be deleted.')
  remove(call.world, found)
  return businessAnswer({})
}

function said(call: Call, owner: Profile, parent: Item): Answer {
  const text = textOf(call, 'text') ?? ''
  const image = imageIn(call, owner)
  if ((!text && !image) || text.length > limits.TikTok.comment || /https?:\/\//.test(text)) {
    refuseBusiness(40002, `text takes 1 to ${limits.TikTok.comment} characters and no links.`)
  }
  const created = record(call.world, owner, {
    id: snowflake(),
    kind: 'comment',
    postId: parent.postId ?? parent.id,
    parentId: parent.id,
    text,
    media: image ? [image.id] : [],
  })
  return businessAnswer(commentShape(call, created, false))
}

function commentShape(call: Call, item: Item, withReplies: boolean): Record<string, unknown> {
  const replies = call.world.items.under(item, 'comment')
  return {
    comment_id: item.id,
    video_id: item.postId,
    unique_identifier: item.from.id,
    text: item.text,
    create_time: String(Math.floor(item.at / 1000)),
    username: item.from.username,
    display_name: item.from.name,
    owner: item.own,
    likes: call.world.items.under(item, 'like').length,
    replies: replies.length,
    status: item.hidden ? 'HIDDEN' : 'PUBLIC',
    ...(item.media[0] === undefined ? {} : { image_url: imageUrl(call, item.media[0]) }),
    ...(item.parentId === item.postId ? {} : { parent_comment_id: item.parentId }),
    ...(withReplies
      ? { reply_list: replies.slice(0, repliesShown).map((reply) => commentShape(call, reply, false)) }
      : {}),
  }
}

function video(call: Call, owner: Profile): Item {
  const found = call.world.items.live('TikTok', textOf(call, 'video_id') ?? '')
  if (found?.profile !== owner.id) refuseBusiness(40002, 'video_id is not a video of this account.')
  return found
}

function comment(call: Call): Item {
  const found = call.world.items.live('TikTok', textOf(call, 'comment_id') ?? '')
  if (found?.kind !== 'comment') refuseBusiness(40002, 'comment_id is not known.')
  return found
}

const takes = ['image/jpeg', 'image/png', 'image/webp']
const largest = 5_000_000
const smallest = 360

/** POST /business/comment/image/upload/: a picture for a comment that is written afterwards. */
export function uploadCommentImage(call: Call): Answer {
  const owner = business(call, 'comment.list.manage')
  const file = call.files.image_file
  if (!file) refuseBusiness(40002, 'image_file: Missing data for required field.')
  const kept = keepMedia(call.world, { network: 'TikTok', id: snowflake(), profile: owner.id, bytes: file.bytes })
  if (!takes.includes(kept.mime) || kept.bytes > largest) {
    refuseBusiness(40002, 'image_file takes JPG, WebP or PNG of at most 5 MB.')
  }
  const { width = smallest, height = smallest } = kept
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  if (short < smallest || short > 1080 || long > 1920) {
    refuseBusiness(40002, 'image_file takes 360 x 360 to 1080 x 1920 or 1920 x 1080 pixels.')
  }
  return businessAnswer({ image_uri: kept.id, width: kept.width ?? 0, height: kept.height ?? 0 })
}

/** The picture a comment names, which must come with its measures. */
function imageIn(call: Call, owner: Profile): Media | undefined {
  const uri = textOf(call, 'image_uri')
  if (uri === undefined) return undefined
  const image = mediaOf(call.world, 'TikTok', uri)
  if (image?.profile !== owner.id) refuseBusiness(40002, 'image_uri is not known.')
  if (numberOf(call, 'image_width') === undefined || numberOf(call, 'image_height') === undefined) {
    refuseBusiness(40002, 'image_width and image_height are required with image_uri.')
  }
  return image
}

const imageUrl = (call: Call, id: string) => `${call.origin}/tiktok/comment-images/${id}`

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
