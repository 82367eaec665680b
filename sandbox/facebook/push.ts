import { messagePushed } from '../graph/messages.ts'
import { notify } from '../graph/subscriptions.ts'
import type { Item, Profile } from '../state/rows.ts'
import type { World } from '../state/state.ts'

const seconds = (time: number) => Math.floor(time / 1000)

/** Tells the page's app what somebody outside did. */
export function facebookPush(world: World, page: Profile, item: Item) {
  if (item.kind === 'message') messagePushed(world, page, item)
  else if (item.kind === 'mention') mentionPushed(world, page, item)
  else if (item.kind === 'like') likePushed(world, page, item)
  else if (item.kind === 'share' || item.kind === 'post') postPushed(world, page, item)
  else commentPushed(world, page, item)
}

export function postPushed(world: World, page: Profile, post: Item) {
  const isShare = post.link !== undefined || post.kind === 'share'
  const item = post.media.length ? 'photo' : isShare ? 'share' : 'status'
  changed(world, page, 'feed', {
    item,
    verb: 'add',
    post_id: post.id,
    from: { id: post.from.id, name: post.from.name },
    message: post.text,
    created_time: seconds(post.at),
    published: 1,
  })
}

export function commentPushed(world: World, page: Profile, comment: Item) {
  changed(world, page, 'feed', {
    item: 'comment',
    verb: comment.removedAt ? 'remove' : comment.updatedAt ? 'edited' : 'add',
    comment_id: comment.id,
    post_id: comment.postId,
    parent_id: comment.parentId,
    from: { id: comment.from.id, name: comment.from.name },
    message: comment.text,
    created_time: seconds(comment.at),
  })
}

function mentionPushed(world: World, page: Profile, mention: Item) {
  changed(world, page, 'mention', {
    item: mention.postId ? 'comment' : 'post',
    verb: 'add',
    post_id: mention.postId ?? mention.id,
    ...(mention.postId ? { comment_id: mention.id } : {}),
    sender_id: mention.from.id,
    sender_name: mention.from.name,
    message: mention.text,
    created_time: seconds(mention.at),
  })
}

function likePushed(world: World, page: Profile, like: Item) {
  changed(world, page, 'feed', {
    item: 'reaction',
    verb: 'add',
    reaction_type: 'like',
    post_id: like.postId,
    parent_id: like.parentId,
    ...(like.parentId === like.postId ? {} : { comment_id: like.parentId }),
    from: { id: like.from.id, name: like.from.name },
    created_time: seconds(like.at),
  })
}

function changed(world: World, page: Profile, field: string, value: Record<string, unknown>) {
  notify(world, page, field, { changes: [{ field, value }] })
}
