import type { ItemRow } from '../../item/item-row.ts'
import type { Received } from '../received.ts'
import type { Arrival, Batch } from './batch.ts'

/** The item an activity belongs to: an existing one, a new one, or none yet while its parent is unknown. */
export type Home =
  | { item: ItemRow }
  | { begins: { key: string; itemType: ItemRow['itemType']; with?: Arrival | undefined } }
  | { waitsFor: string; untilAnswered?: boolean }

/** The profile's own content without replies waits under this key. */
export const under = (remoteId: string) => `under:${remoteId}`

export const isOwn = ({ kind, person }: Received, { ownId }: Pick<Batch, 'ownId'>) =>
  kind === 'echo' || (person.id !== '' && person.id === ownId)

/** Direct messages, as opposed to public content. */
export const isMessage = ({ kind, threadId, postId, parentId }: Received) =>
  kind === 'message' || (kind === 'echo' && threadId !== '' && postId === '' && parentId === '')

/** On X a comment is a post that replies; on other networks comments belong to posts. */
const publicKinds = (network: string) =>
  network === 'Twitter'
    ? ({ prefix: 'reply', itemType: 'Reply' } as const)
    : ({ prefix: 'comment', itemType: 'Post' } as const)

const threadKey = ({ threadId, person }: Received) => `thread:${threadId || person.id}`

/** Keys of items that an activity may belong to. */
export function keysFor(network: string, heard: Received): string[] {
  if (isMessage(heard)) return [threadKey(heard)]
  const { prefix } = publicKinds(network)
  const ids = [heard.remoteId, heard.parentId, heard.postId].filter((id) => id !== '')
  return ids.flatMap((id) => [`${prefix}:${id}`, `mention:${id}`])
}

export function homeOf(batch: Batch, { heard, due }: Arrival, now: Date): Home | undefined {
  const own = isOwn(heard, batch)
  if (isMessage(heard)) {
    const key = threadKey(heard)
    const item = batch.itemsByKey.get(key)
    if (item) return { item }
    return own ? { waitsFor: key, untilAnswered: true } : { begins: { key, itemType: 'Conversation' } }
  }
  const { prefix, itemType } = publicKinds(batch.network)
  const { remoteId, postId, kind } = heard
  // Started by a reply, before this was received.
  const late = batch.itemsByKey.get(`${prefix}:${remoteId}`)
  if (late) return { item: late }
  const answered = answeredBy(batch, heard)
  if (answered === '') {
    if (own) return { waitsFor: under(remoteId), untilAnswered: true }
    if (kind === 'mention' && !isUnderOurs(batch, heard))
      return { begins: { key: `mention:${remoteId}`, itemType: 'Mention' } }
    return { begins: { key: `${prefix}:${remoteId}`, itemType } }
  }
  const entry = batch.entries.get(answered)
  const known = entry ? batch.items.get(entry.itemId) : batch.itemsByKey.get(`${prefix}:${answered}`)
  if (known) return { item: known }
  const parked = batch.parked.get(answered)
  if (parked && !own) return { begins: { key: `${prefix}:${answered}`, itemType, with: parked } }
  // A mention in another conversation starts an item of its own.
  if (kind === 'mention' && !batch.posts.has(postId))
    return { begins: { key: `mention:${remoteId}`, itemType: 'Mention' } }
  const isOverdue = due !== null && due <= now
  if (!isOverdue) return { waitsFor: answered }
  return own ? undefined : { begins: { key: `${prefix}:${answered}`, itemType } }
}

/** The comment it replies to, or the mention it belongs to. */
function answeredBy({ entries, itemsByKey }: Batch, { parentId, postId, remoteId }: Received): string {
  if (parentId !== '') return parentId
  return postId !== remoteId && (entries.has(postId) || itemsByKey.has(`mention:${postId}`)) ? postId : ''
}

/** A comment under our own post that mentions us is a comment, however it was received. */
const isUnderOurs = ({ posts }: Batch, { postId, remoteId }: Received) => postId !== remoteId && posts.has(postId)
