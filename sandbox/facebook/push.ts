import { pushMessage } from '../graph/messages.ts'
import { pushEntry } from '../graph/subscriptions.ts'
import type { Item, Profile } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'

const seconds = (time: number) => Math.floor(time / 1000)

/** Pushes the action of another user to the app of the page. */
export function facebookPush(state: SandboxState, page: Profile, item: Item) {
  if (item.kind === 'message') pushMessage(state, page, item)
  else if (item.kind === 'mention') pushMention(state, page, item)
  else if (item.kind === 'like') pushLike(state, page, item)
  else if (item.kind === 'share' || item.kind === 'post') pushPost(state, page, item)
  else pushComment(state, page, item)
}

export function pushPost(state: SandboxState, page: Profile, post: Item) {
  const isShare = post.link !== undefined || post.kind === 'share'
  const item = post.media.length ? 'photo' : isShare ? 'share' : 'status'
  pushChange(state, page, 'feed', {
    item,
    verb: 'add',
    post_id: post.id,
    from: { id: post.from.id, name: post.from.name },
    message: post.text,
    created_time: seconds(post.at),
    published: 1,
  })
}

export function pushComment(state: SandboxState, page: Profile, comment: Item) {
  pushChange(state, page, 'feed', {
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

function pushMention(state: SandboxState, page: Profile, mention: Item) {
  pushChange(state, page, 'mention', {
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

function pushLike(state: SandboxState, page: Profile, like: Item) {
  pushChange(state, page, 'feed', {
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

function pushChange(state: SandboxState, page: Profile, field: string, value: Record<string, unknown>) {
  pushEntry(state, page, field, { changes: [{ field, value }] })
}
