import { mediaOf } from '../behaviour/media.ts'
import { followersOf, numbersOf } from '../behaviour/metrics.ts'
import { timeOf } from '../graph/responses.ts'
import type { Call } from '../http/request.ts'
import { textOf } from '../http/request.ts'
import { newestFirst } from '../state/items.ts'
import type { Item, Media, Profile } from '../state/rows.ts'

export const postDefaults = 'id,message,created_time'
export const commentDefaults = 'id,message,from,created_time'

export function pageShape(call: Call, page: Profile) {
  const followers = followersOf(call.world, page)
  return {
    id: page.id,
    name: page.name,
    username: page.username,
    followers_count: followers,
    fan_count: Math.floor(followers * 0.97),
    link: `${call.origin}/facebook/profiles/${page.id}`,
    picture: { data: { url: `${call.origin}/facebook/profiles/${page.id}/picture` } },
  }
}

export function postShape(call: Call, post: Item) {
  const { likes, comments, shares } = numbersOf(call.world, post)
  const media = post.media.map((id) => mediaOf(call.world, 'Facebook', id)).filter((row) => row !== undefined)
  const picture = media[0] ? mediaUrl(call, media[0]) : undefined
  return {
    id: post.id,
    message: post.text,
    created_time: timeOf(post.at),
    updated_time: timeOf(post.updatedAt ?? post.at),
    permalink_url: `${call.origin}/facebook/permalink/${post.id}`,
    from: { id: post.from.id, name: post.from.name },
    is_published: true,
    status_type: media[0]?.mime.startsWith('video/') ? 'added_video' : media.length ? 'added_photos' : 'mobile_status',
    ...(picture ? { full_picture: picture } : {}),
    attachments: { data: attachments(call, post, media) },
    shares: { count: shares },
    likes: { data: [], summary: { total_count: likes } },
    reactions: { data: [], summary: { total_count: likes, viewer_reaction: 'NONE' } },
    comments: {
      data: commentsOf(call, post).map((comment) => commentShape(call, comment)),
      summary: { order: 'chronological', total_count: comments, can_comment: true },
    },
  }
}

/** `comments.filter(stream)` asks for the answers to comments as well, `order(…)` for the newest first. */
function commentsOf(call: Call, post: Item): Item[] {
  const asked = textOf(call, 'fields') ?? ''
  const { items } = call.world
  const comments = asked.includes('filter(stream)')
    ? items.inConversation(post).filter(({ kind }) => kind === 'comment')
    : items.under(post, 'comment')
  return asked.includes('order(reverse_chronological)') ? comments.toReversed() : comments
}

export function commentShape(call: Call, comment: Item) {
  const isAnswer = comment.parentId !== comment.postId
  const first = comment.media[0] ? mediaOf(call.world, 'Facebook', comment.media[0]) : undefined
  return {
    id: comment.id,
    message: comment.text,
    from: { id: comment.from.id, name: comment.from.name },
    created_time: timeOf(comment.at),
    comment_count: call.world.items.under(comment, 'comment').length,
    like_count: call.world.items.under(comment, 'like').length,
    is_hidden: comment.hidden ?? false,
    permalink_url: `${call.origin}/facebook/permalink/${comment.postId}?comment_id=${comment.id}`,
    object: { id: comment.postId },
    ...(isAnswer ? { parent: { id: comment.parentId } } : {}),
    ...(first ? { attachment: { type: 'photo', media: { image: { src: mediaUrl(call, first) } } } } : {}),
  }
}

export function videoShape(call: Call, media: Media, post: Item | undefined) {
  const ready = !call.notReady && media.readyAt <= call.world.clock.now()
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
      processing_phase: { status: phase, ...(failed ? { error: { code: 1363047, message: media.failed } } : {}) },
      publishing_phase: { status: ready && !failed ? 'complete' : 'not_started' },
    },
  }
}

export function postsOf(call: Call, page: Profile): Item[] {
  return newestFirst(call.world.items.ofProfile('Facebook', page.id, 'post'))
}

function attachments(call: Call, post: Item, media: Media[]) {
  const shown = media.map((row) => {
    const type = row.mime.startsWith('video/') ? 'video_inline' : 'photo'
    return { type, media: { image: { src: mediaUrl(call, row) } }, target: { id: row.id } }
  })
  if (!post.link) return shown
  return [{ type: 'share', url: post.link.url, unshimmed_url: post.link.url, title: post.link.title ?? '' }, ...shown]
}

function mediaUrl(call: Call, { sha256 }: Media): string {
  return `${call.origin}/media/${sha256}`
}
