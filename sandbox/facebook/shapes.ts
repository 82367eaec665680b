import { mediaOf } from '../behaviour/media.ts'
import { followersOf, metricsOf } from '../behaviour/metrics.ts'
import { timeOf } from '../graph/responses.ts'
import { type ApiRequest, textOf } from '../http/request.ts'
import { newestFirst } from '../state/items.ts'
import type { Item, Media, Profile } from '../state/rows.ts'

export const postDefaults = 'id,message,created_time'
export const commentDefaults = 'id,message,from,created_time'

export function pageShape(request: ApiRequest, page: Profile) {
  const followers = followersOf(request.state, page)
  return {
    id: page.id,
    name: page.name,
    username: page.username,
    followers_count: followers,
    fan_count: Math.floor(followers * 0.97),
    link: `${request.origin}/facebook/profiles/${page.id}`,
    picture: { data: { url: `${request.origin}/facebook/profiles/${page.id}/picture` } },
  }
}

export function postShape(request: ApiRequest, post: Item) {
  const { likes, comments, shares } = metricsOf(request.state, post)
  const media = post.media.map((id) => mediaOf(request.state, 'Facebook', id)).filter((row) => row !== undefined)
  const picture = media[0] ? mediaUrl(request, media[0]) : undefined
  return {
    id: post.id,
    message: post.text,
    created_time: timeOf(post.at),
    updated_time: timeOf(post.updatedAt ?? post.at),
    permalink_url: `${request.origin}/facebook/permalink/${post.id}`,
    from: { id: post.from.id, name: post.from.name },
    is_published: true,
    status_type: media[0]?.mime.startsWith('video/') ? 'added_video' : media.length ? 'added_photos' : 'mobile_status',
    ...(picture ? { full_picture: picture } : {}),
    attachments: { data: attachments(request, post, media) },
    shares: { count: shares },
    likes: { data: [], summary: { total_count: likes } },
    reactions: { data: [], summary: { total_count: likes, viewer_reaction: 'NONE' } },
    comments: {
      data: commentsOf(request, post).map((comment) => commentShape(request, comment)),
      summary: { order: 'chronological', total_count: comments, can_comment: true },
    },
  }
}

/** `comments.filter(stream)` includes replies, `order(reverse_chronological)` sorts newest first. */
function commentsOf(request: ApiRequest, post: Item): Item[] {
  const requested = textOf(request, 'fields') ?? ''
  const { items } = request.state
  const comments = requested.includes('filter(stream)')
    ? items.inConversation(post).filter(({ kind }) => kind === 'comment')
    : items.childrenOf(post, 'comment')
  return requested.includes('order(reverse_chronological)') ? comments.toReversed() : comments
}

export function commentShape(request: ApiRequest, comment: Item) {
  const isReply = comment.parentId !== comment.postId
  const first = comment.media[0] ? mediaOf(request.state, 'Facebook', comment.media[0]) : undefined
  return {
    id: comment.id,
    message: comment.text,
    from: { id: comment.from.id, name: comment.from.name },
    created_time: timeOf(comment.at),
    comment_count: request.state.items.childrenOf(comment, 'comment').length,
    like_count: request.state.items.childrenOf(comment, 'like').length,
    is_hidden: comment.hidden ?? false,
    permalink_url: `${request.origin}/facebook/permalink/${comment.postId}?comment_id=${comment.id}`,
    object: { id: comment.postId },
    ...(isReply ? { parent: { id: comment.parentId } } : {}),
    ...(first ? { attachment: { type: 'photo', media: { image: { src: mediaUrl(request, first) } } } } : {}),
  }
}

export function videoShape(request: ApiRequest, media: Media, post: Item | undefined) {
  const ready = !request.notReady && media.readyAt <= request.state.clock.now()
  const failed = media.failed !== undefined && ready
  const phase = failed ? 'error' : ready ? 'complete' : 'in_progress'
  return {
    id: media.id,
    length: media.seconds ?? 0,
    description: post?.text ?? '',
    ...(ready && !failed && post
      ? { post_id: post.id.split('_')[1], permalink_url: `/facebook/permalink/${post.id}` }
      : {}),
    status: {
      video_status: failed ? 'error' : ready ? 'ready' : 'processing',
      uploading_phase: { status: 'complete' },
      processing_phase: {
        status: phase,
        ...(failed ? { error: { code: 1363047, message: media.failed } } : {}),
      },
      publishing_phase: { status: ready && !failed ? 'complete' : 'not_started' },
    },
  }
}

export function postsOf(request: ApiRequest, page: Profile): Item[] {
  return newestFirst(request.state.items.ofProfile('Facebook', page.id, 'post'))
}

function attachments(request: ApiRequest, post: Item, media: Media[]) {
  const shown = media.map((row) => {
    const type = row.mime.startsWith('video/') ? 'video_inline' : 'photo'
    return { type, media: { image: { src: mediaUrl(request, row) } }, target: { id: row.id } }
  })
  if (!post.link) return shown
  return [{ type: 'share', url: post.link.url, unshimmed_url: post.link.url, title: post.link.title ?? '' }, ...shown]
}

function mediaUrl(request: ApiRequest, { sha256 }: Media): string {
  return `${request.origin}/media/${sha256}`
}
