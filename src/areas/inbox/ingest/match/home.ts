import type { ItemRow } from '../../item/item-row.ts'
import type { Received } from '../received.ts'
import type { Arrival, Batch } from './batch.ts'

/** Where something belongs: in an item, at the beginning of one, or nowhere as long as what it answers is not known. */
export type Home =
  | { item: ItemRow }
  | { begins: { key: string; itemType: ItemRow['itemType']; with?: Arrival | undefined } }
  | { waitsFor: string; untilAnswered?: boolean }

/** What nobody has answered yet, said by the profile itself, waits under this name. */
export const under = (remoteId: string) => `under:${remoteId}`

export const isOwn = ({ kind, person }: Received, { ownId }: Pick<Batch, 'ownId'>) =>
  kind === 'echo' || (person.id !== '' && person.id === ownId)

/** Between two, not before all. */
export const isMessage = ({ kind, threadId, postId, parentId }: Received) =>
  kind === 'message' || (kind === 'echo' && threadId !== '' && postId === '' && parentId === '')

/** On X whoever comments writes a post that answers; elsewhere comments stand under posts. */
const publicKinds = (network: string) =>
  network === 'Twitter'
    ? ({ prefix: 'reply', itemType: 'Reply' } as const)
    : ({ prefix: 'comment', itemType: 'Post' } as const)

const threadKey = ({ threadId, person }: Received) => `thread:${threadId || person.id}`

/** The keys of items that something may belong to. */
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
  // Begun by an answer, before this was known.
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
  // What is said of us in talks of others begins by itself.
  if (kind === 'mention' && !batch.posts.has(postId))
    return { begins: { key: `mention:${remoteId}`, itemType: 'Mention' } }
  const isOverdue = due !== null && due <= now
  if (!isOverdue) return { waitsFor: answered }
  return own ? undefined : { begins: { key: `${prefix}:${answered}`, itemType } }
}

/** The comment it answers, or the mention under which it stands. */
function answeredBy({ entries, itemsByKey }: Batch, { parentId, postId, remoteId }: Received): string {
  if (parentId !== '') return parentId
  return postId !== remoteId && (entries.has(postId) || itemsByKey.has(`mention:${postId}`)) ? postId : ''
}

/** A comment under our own post that names us is a comment, by whichever of the two it was told. */
const isUnderOurs = ({ posts }: Batch, { postId, remoteId }: Received) => postId !== remoteId && posts.has(postId)
