import { mediaOf } from '../behaviour/media.ts'
import { messagePushed } from '../graph/messages.ts'
import { notify } from '../graph/subscriptions.ts'
import type { Item, Profile } from '../state/rows.ts'

import type { World } from '../state/state.ts'

/** Tells the account's app what somebody outside did; likes are not pushed. */
export function instagramPush(world: World, owner: Profile, item: Item) {
  if (item.kind === 'message') messagePushed(world, owner, item)
  else if (item.kind === 'mention') changed(world, owner, 'mentions', mentionValue(item))
  // What is changed or taken back there is not told.
  else if (item.kind === 'comment' && !item.updatedAt && !item.removedAt) commentPushed(world, owner, item)
}

export function commentPushed(world: World, owner: Profile, comment: Item) {
  const isAnswer = comment.parentId !== comment.postId
  changed(world, owner, 'comments', {
    id: comment.id,
    text: comment.text,
    from: { id: comment.from.id, username: comment.from.username },
    media: { id: shownMedia(world, comment), media_product_type: productOf(world, comment) },
    ...(isAnswer ? { parent_id: comment.parentId } : {}),
  })
}

/** Of comments on an album the album's id is not told, but that of the picture that was shown. */
function shownMedia(world: World, { postId = '' }: Item): string {
  const [first, second] = world.items.live('Instagram', postId)?.media ?? []
  return first !== undefined && second !== undefined ? first : postId
}

function productOf(world: World, { postId = '' }: Item): 'REELS' | 'FEED' {
  const [first, second] = world.items.live('Instagram', postId)?.media ?? []
  const isVideo = mediaOf(world, 'Instagram', first ?? '')?.mime.startsWith('video/')
  return isVideo && second === undefined ? 'REELS' : 'FEED'
}

function mentionValue(mention: Item) {
  return mention.postId ? { media_id: mention.postId, comment_id: mention.id } : { media_id: mention.id }
}

function changed(world: World, owner: Profile, field: string, value: Record<string, unknown>) {
  notify(world, owner, field, { changes: [{ field, value }] })
}
