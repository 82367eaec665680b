import { mediaOf } from '../behaviour/media.ts'
import { followersOf, type Numbers, numbersBetween, numbersOf, sum } from '../behaviour/metrics.ts'
import { grantFor } from '../graph/access.ts'
import { badParameter, listing, refuse, timeOf, unknownObject } from '../graph/responses.ts'
import { type Call, flagOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { graphId } from '../state/ids.ts'
import { newestFirst, record, remove } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'

import { account, target } from './login.ts'
import { commentPushed } from './push.ts'

/** POST /{media}/comments. */
export function comment(call: Call): Answer {
  const { item, owner } = target(call, 'manage_comments')
  refuseForeign(call, item)
  if (item.kind !== 'post') badParameter('Comments go under media; answers to comments go to /replies')
  return json({ id: createComment(call, owner, item).id })
}

/** POST /{comment}/replies: under a top-level comment; an answer to an answer lands beside it. */
export function reply(call: Call): Answer {
  const { item, owner } = target(call, 'manage_comments')
  refuseForeign(call, item)
  if (item.kind === 'post') badParameter('Only comments have replies')
  const top = item.parentId === item.postId ? item : call.world.items.live('Instagram', item.parentId ?? '')
  return json({ id: createComment(call, owner, top ?? item).id })
}

/** POST /{ig}/mentions: an answer under somebody else's words that named the account. */
export function answerMention(call: Call): Answer {
  const owner = account(call, 'manage_comments')
  const id = textOf(call, 'comment_id') ?? textOf(call, 'media_id') ?? ''
  const mention = call.world.items.live('Instagram', id)
  if (mention?.kind !== 'mention') unknownObject(id)
  return json({ id: createComment(call, owner, mention).id })
}

export function listComments(call: Call): Answer {
  const { item } = target(call, 'manage_comments')
  refuseForeign(call, item)
  const comments = newestFirst(call.world.items.under(item, 'comment'))
  return listing(call, comments, (row) => commentShape(call, row), commentDefaults)
}

export function editComment(call: Call): Answer {
  const { item } = target(call, 'manage_comments')
  call.world.items.change(item, { hidden: flagOf(call, 'hide') })
  return json({ success: true })
}

/** DELETE: comments through either login, posts only through Facebook's. */
export function removeNode(call: Call): Answer {
  const { item } = target(call, 'basic')
  const needed = item.kind === 'post' ? 'instagram_manage_contents' : undefined
  if (needed && !grantFor(call).scopes.includes(needed)) {
    refuse({ code: 10, message: '(#10) The app may not delete media with this login.', type: 'OAuthException' })
  }
  remove(call.world, item)
  return json({ success: true })
}

/** Posts of others, and what is said under them, are reached as mentions only. */
function refuseForeign(call: Call, item: Item) {
  const post = item.postId === undefined ? item : call.world.items.live('Instagram', item.postId)
  if (!post?.own) unknownObject(item.id)
}

function createComment(call: Call, owner: Profile, parent: Item): Item {
  const text = textOf(call, 'message') ?? ''
  if (!text) badParameter('The parameter message is required')
  if (text.length > limits.Instagram.comment) badParameter('The comment is too long')
  const postId = parent.postId ?? parent.id
  const created = record(call.world, owner, { id: graphId(), kind: 'comment', postId, parentId: parent.id, text })
  commentPushed(call.world, owner, created)
  return created
}

const mediaMetrics: Record<string, (numbers: Numbers) => number> = {
  views: ({ views }) => views,
  reach: ({ reach }) => reach,
  saved: ({ saves }) => saves,
  likes: ({ likes }) => likes,
  comments: ({ comments }) => comments,
  shares: ({ shares }) => shares,
  total_interactions: ({ likes, comments, shares, saves }) => likes + comments + shares + saves,
}

const accountMetrics: Record<string, (numbers: Numbers) => number> = {
  ...mediaMetrics,
  saves: ({ saves }) => saves,
  replies: ({ comments }) => comments,
  follower_count: () => 0,
}

export function mediaInsights(call: Call): Answer {
  const { item } = target(call, 'manage_insights')
  const numbers = numbersOf(call.world, item)
  const data = asked(call, mediaMetrics).map((name) => {
    return {
      id: `${item.id}/insights/${name}/lifetime`,
      name,
      period: 'lifetime',
      values: [{ value: mediaMetrics[name]?.(numbers) }],
    }
  })
  return json({ data })
}

/** The last day; `metric_type=total_value` only changes the form. */
export function accountInsights(call: Call, owner: Profile): Answer {
  const { world } = call
  const to = world.clock.now()
  const posts = world.items.ofProfile('Instagram', owner.id, 'post')
  const numbers = sum(posts.map((post) => numbersBetween(world, post, to - day, to)))
  const follows = followersOf(world, owner, to) - followersOf(world, owner, to - day)
  const asTotal = textOf(call, 'metric_type') === 'total_value'
  const data = asked(call, accountMetrics).map((name) => {
    const value = name === 'follower_count' ? follows : accountMetrics[name]?.(numbers)
    const values = asTotal ? { total_value: { value } } : { values: [{ value, end_time: timeOf(to) }] }
    return { id: `${owner.id}/insights/${name}/day`, name, period: 'day', ...values }
  })
  return json({ data })
}

function asked(call: Call, known: Record<string, unknown>): string[] {
  const names = (textOf(call, 'metric') ?? '').split(',').filter(Boolean)
  if (!names.length || names.some((name) => !(name in known))) badParameter('metric must be one of the known values')
  return names
}

export const mediaDefaults = 'id'
export const commentDefaults = 'id,text,timestamp'

export function accountShape(call: Call, owner: Profile) {
  return {
    id: owner.id,
    user_id: owner.id,
    username: owner.username,
    name: owner.name,
    account_type: 'BUSINESS',
    profile_picture_url: `${call.origin}/instagram/profiles/${owner.id}/picture`,
    followers_count: followersOf(call.world, owner),
    follows_count: 120,
    media_count: call.world.items.ofProfile('Instagram', owner.id, 'post').length,
  }
}

export function mediaShape(call: Call, post: Item) {
  const { likes, comments } = numbersOf(call.world, post)
  const files = post.media.map((id) => mediaOf(call.world, 'Instagram', id)).filter((row) => row !== undefined)
  const isVideo = files[0]?.mime.startsWith('video/') ?? false
  const urls = files.map(({ id, sha256 }) => ({ id, media_url: `${call.origin}/media/${sha256}` }))
  return {
    id: post.id,
    caption: post.text,
    media_type: files.length > 1 ? 'CAROUSEL_ALBUM' : isVideo ? 'VIDEO' : 'IMAGE',
    media_product_type: isVideo && files.length === 1 ? 'REELS' : 'FEED',
    media_url: urls[0]?.media_url,
    children: { data: urls },
    permalink: `${call.origin}/instagram/p/${post.id}/`,
    shortcode: post.id,
    timestamp: timeOf(post.at),
    username: post.from.username,
    owner: { id: post.from.id },
    like_count: likes,
    comments_count: comments,
    comments: { data: call.world.items.under(post, 'comment').map((comment) => commentShape(call, comment)) },
  }
}

export function commentShape(call: Call, comment: Item): Record<string, unknown> {
  const isAnswer = comment.parentId !== comment.postId
  const replies = call.world.items.under(comment, 'comment')
  return {
    id: comment.id,
    text: comment.text,
    timestamp: timeOf(comment.at),
    username: comment.from.username,
    from: { id: comment.from.id, username: comment.from.username },
    media: { id: comment.postId },
    hidden: comment.hidden ?? false,
    like_count: call.world.items.under(comment, 'like').length,
    ...(isAnswer ? { parent_id: comment.parentId } : {}),
    replies: { data: replies.map((reply) => commentShape(call, reply)) },
  }
}
