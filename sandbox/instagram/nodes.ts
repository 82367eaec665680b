import { mediaOf } from '../behaviour/media.ts'
import { followersOf, type Metrics, metricsBetween, metricsOf, sumMetrics } from '../behaviour/metrics.ts'
import { grantFor } from '../graph/access.ts'
import { badParameter, listResponse, refuse, timeOf, unknownObject } from '../graph/responses.ts'
import { type ApiRequest, booleanOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { graphId } from '../state/ids.ts'
import { newestFirst, recordAction, removeItem } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'
import { account, target } from './login.ts'
import { pushComment } from './push.ts'

/** POST /{media}/comments. */
export function comment(request: ApiRequest): ApiResponse {
  const { item, owner } = target(request, 'manage_comments')
  requireOwnPost(request, item)
  if (item.kind !== 'post') badParameter('Comments go under media; answers to comments go to /replies')
  return json({ id: createComment(request, owner, item).id })
}

/** POST /{comment}/replies: replies to a reply are attached to its top-level comment. */
export function reply(request: ApiRequest): ApiResponse {
  const { item, owner } = target(request, 'manage_comments')
  requireOwnPost(request, item)
  if (item.kind === 'post') badParameter('Only comments have replies')
  const top = item.parentId === item.postId ? item : request.state.items.live('Instagram', item.parentId ?? '')
  return json({ id: createComment(request, owner, top ?? item).id })
}

/** POST /{ig}/mentions: replies to a post or comment that mentions the account. */
export function replyToMention(request: ApiRequest): ApiResponse {
  const owner = account(request, 'manage_comments')
  const id = textOf(request, 'comment_id') ?? textOf(request, 'media_id') ?? ''
  const mention = request.state.items.live('Instagram', id)
  if (mention?.kind !== 'mention') unknownObject(id)
  return json({ id: createComment(request, owner, mention).id })
}

export function listComments(request: ApiRequest): ApiResponse {
  const { item } = target(request, 'manage_comments')
  requireOwnPost(request, item)
  const comments = newestFirst(request.state.items.childrenOf(item, 'comment'))
  return listResponse(request, comments, (row) => commentShape(request, row), commentDefaults)
}

export function editComment(request: ApiRequest): ApiResponse {
  const { item } = target(request, 'manage_comments')
  request.state.items.change(item, { hidden: booleanOf(request, 'hide') })
  return json({ success: true })
}

/** DELETE: comments through either login, posts only through Facebook's. */
export function removeNode(request: ApiRequest): ApiResponse {
  const { item } = target(request, 'basic')
  const needed = item.kind === 'post' ? 'instagram_manage_contents' : undefined
  if (needed && !grantFor(request).scopes.includes(needed)) {
    refuse({ code: 10, message: '(#10) The app may not delete media with this login.', type: 'OAuthException' })
  }
  removeItem(request.state, item)
  return json({ success: true })
}

/** Posts of others and their comments are accessible only as mentions. */
function requireOwnPost(request: ApiRequest, item: Item) {
  const post = item.postId === undefined ? item : request.state.items.live('Instagram', item.postId)
  if (!post?.own) unknownObject(item.id)
}

function createComment(request: ApiRequest, owner: Profile, parent: Item): Item {
  const text = textOf(request, 'message') ?? ''
  if (!text) badParameter('The parameter message is required')
  if (text.length > limits.Instagram.comment) badParameter('The comment is too long')
  const postId = parent.postId ?? parent.id
  const created = recordAction(request.state, owner, {
    id: graphId(),
    kind: 'comment',
    postId,
    parentId: parent.id,
    text,
  })
  pushComment(request.state, owner, created)
  return created
}

const mediaMetrics: Record<string, (metrics: Metrics) => number> = {
  views: ({ views }) => views,
  reach: ({ reach }) => reach,
  saved: ({ saves }) => saves,
  likes: ({ likes }) => likes,
  comments: ({ comments }) => comments,
  shares: ({ shares }) => shares,
  total_interactions: ({ likes, comments, shares, saves }) => likes + comments + shares + saves,
}

const accountMetrics: Record<string, (metrics: Metrics) => number> = {
  ...mediaMetrics,
  saves: ({ saves }) => saves,
  replies: ({ comments }) => comments,
  follower_count: () => 0,
}

export function mediaInsights(request: ApiRequest): ApiResponse {
  const { item } = target(request, 'manage_insights')
  const metrics = metricsOf(request.state, item)
  const data = requestedMetrics(request, mediaMetrics).map((name) => {
    return {
      id: `${item.id}/insights/${name}/lifetime`,
      name,
      period: 'lifetime',
      values: [{ value: mediaMetrics[name]?.(metrics) }],
    }
  })
  return json({ data })
}

/** Metrics of the last day; `metric_type=total_value` only changes the format. */
export function accountInsights(request: ApiRequest, owner: Profile): ApiResponse {
  const { state } = request
  const to = state.clock.now()
  const posts = state.items.ofProfile('Instagram', owner.id, 'post')
  const metrics = sumMetrics(posts.map((post) => metricsBetween(state, post, to - day, to)))
  const follows = followersOf(state, owner, to) - followersOf(state, owner, to - day)
  const asTotal = textOf(request, 'metric_type') === 'total_value'
  const data = requestedMetrics(request, accountMetrics).map((name) => {
    const value = name === 'follower_count' ? follows : accountMetrics[name]?.(metrics)
    const values = asTotal ? { total_value: { value } } : { values: [{ value, end_time: timeOf(to) }] }
    return { id: `${owner.id}/insights/${name}/day`, name, period: 'day', ...values }
  })
  return json({ data })
}

function requestedMetrics(request: ApiRequest, known: Record<string, unknown>): string[] {
  const names = (textOf(request, 'metric') ?? '').split(',').filter(Boolean)
  if (!names.length || names.some((name) => !(name in known))) badParameter('metric must be one of the known values')
  return names
}

export const mediaDefaults = 'id'
export const commentDefaults = 'id,text,timestamp'

export function accountShape(request: ApiRequest, owner: Profile) {
  return {
    id: owner.id,
    user_id: owner.id,
    username: owner.username,
    name: owner.name,
    account_type: 'BUSINESS',
    profile_picture_url: `${request.origin}/instagram/profiles/${owner.id}/picture`,
    followers_count: followersOf(request.state, owner),
    follows_count: 120,
    media_count: request.state.items.ofProfile('Instagram', owner.id, 'post').length,
  }
}

export function mediaShape(request: ApiRequest, post: Item) {
  const { likes, comments } = metricsOf(request.state, post)
  const files = post.media.map((id) => mediaOf(request.state, 'Instagram', id)).filter((row) => row !== undefined)
  const isVideo = files[0]?.mime.startsWith('video/') ?? false
  const urls = files.map(({ id, sha256 }) => ({ id, media_url: `${request.origin}/media/${sha256}` }))
  return {
    id: post.id,
    caption: post.text,
    media_type: files.length > 1 ? 'CAROUSEL_ALBUM' : isVideo ? 'VIDEO' : 'IMAGE',
    media_product_type: isVideo && files.length === 1 ? 'REELS' : 'FEED',
    media_url: urls[0]?.media_url,
    children: { data: urls },
    permalink: `${request.origin}/instagram/p/${post.id}/`,
    shortcode: post.id,
    timestamp: timeOf(post.at),
    username: post.from.username,
    owner: { id: post.from.id },
    like_count: likes,
    comments_count: comments,
    comments: {
      data: request.state.items.childrenOf(post, 'comment').map((comment) => commentShape(request, comment)),
    },
  }
}

export function commentShape(request: ApiRequest, comment: Item): Record<string, unknown> {
  const isReply = comment.parentId !== comment.postId
  const replies = request.state.items.childrenOf(comment, 'comment')
  return {
    id: comment.id,
    text: comment.text,
    timestamp: timeOf(comment.at),
    username: comment.from.username,
    from: { id: comment.from.id, username: comment.from.username },
    media: { id: comment.postId },
    hidden: comment.hidden ?? false,
    like_count: request.state.items.childrenOf(comment, 'like').length,
    ...(isReply ? { parent_id: comment.parentId } : {}),
    replies: { data: replies.map((reply) => commentShape(request, reply)) },
  }
}
