import { followersOf, numbersOf } from '../behaviour/growth.ts'
import { mediaOf } from '../behaviour/media.ts'
import { timeOf } from '../graph/listing.ts'
import type { Call } from '../http/call.ts'
import type { Item, Profile } from '../state/rows.ts'

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
