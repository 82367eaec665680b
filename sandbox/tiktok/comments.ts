import type { Answer, Call } from '../http/call.ts'
import { flagOf, listOf, numberOf, textOf } from '../http/fields.ts'
import { limits } from '../manifests.ts'
import { record, remove } from '../state/deeds.ts'
import { snowflake } from '../state/ids.ts'
import type { Item, Profile } from '../state/rows.ts'
import { business } from './access.ts'
import { imageIn, imageUrl } from './comment-images.ts'
import { businessAnswer, refuseBusiness } from './refusals.ts'

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
