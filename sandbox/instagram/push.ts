import { mediaOf } from '../behaviour/media.ts'
import { pushMessage } from '../graph/messages.ts'
import { pushEntry } from '../graph/subscriptions.ts'
import type { Item, Profile } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'

/** Pushes the action of another user to the app; likes are not pushed. */
export function instagramPush(state: SandboxState, owner: Profile, item: Item) {
  if (item.kind === 'message') pushMessage(state, owner, item)
  else if (item.kind === 'mention') pushChange(state, owner, 'mentions', mentionValue(item))
  // Edits and deletions are not pushed.
  else if (item.kind === 'comment' && !item.updatedAt && !item.removedAt) pushComment(state, owner, item)
}

export function pushComment(state: SandboxState, owner: Profile, comment: Item) {
  const isReply = comment.parentId !== comment.postId
  pushChange(state, owner, 'comments', {
    id: comment.id,
    text: comment.text,
    from: { id: comment.from.id, username: comment.from.username },
    media: { id: pushedMediaId(state, comment), media_product_type: productOf(state, comment) },
    ...(isReply ? { parent_id: comment.parentId } : {}),
  })
}

/** Comments on a carousel carry the id of the displayed child media, not of the carousel. */
function pushedMediaId(state: SandboxState, { postId = '' }: Item): string {
  const [first, second] = state.items.live('Instagram', postId)?.media ?? []
  return first !== undefined && second !== undefined ? first : postId
}

function productOf(state: SandboxState, { postId = '' }: Item): 'REELS' | 'FEED' {
  const [first, second] = state.items.live('Instagram', postId)?.media ?? []
  const isVideo = mediaOf(state, 'Instagram', first ?? '')?.mime.startsWith('video/')
  return isVideo && second === undefined ? 'REELS' : 'FEED'
}

function mentionValue(mention: Item) {
  return mention.postId ? { media_id: mention.postId, comment_id: mention.id } : { media_id: mention.id }
}

function pushChange(state: SandboxState, owner: Profile, field: string, value: Record<string, unknown>) {
  pushEntry(state, owner, field, { changes: [{ field, value }] })
}
