import type { InnerEvents } from '#areas/events/event.ts'
import { mediaOfAll } from '#areas/publishing/message/message-media.ts'
import type { Context } from '#kernel/context.ts'
import type { ItemEvent, ItemEventData } from '../item/item.events.ts'
import type { ItemRow } from '../item/item.ts'
import type { EntryRow } from '../item/timeline.ts'
import type { Received } from './received.ts'
/** A received activity that is being processed. */
export interface ReceivedActivity {
  dedupeKey: string
  activity: Received
  received: Date
  /** Deadline of an activity that has waited. */
  due: Date | null
}

/** Result of processing an activity. */
export interface Outcome {
  dedupeKey: string
  state: 'waiting' | 'done' | 'refused'
  waitsFor?: string
  due?: Date
  reason?: string
}

/** Some activities of one profile with everything needed to match them: the current state, and the changes made while matching. */
export interface Batch {
  credentialId: string
  network: string
  /** The profile's own id on the network. */
  ownId: string
  activities: ReceivedActivity[]
  /** Activities that could not be parsed. */
  unreadable: string[]
  items: Map<string, ItemRow>
  itemsByKey: Map<string, ItemRow>
  /** By id on the network. */
  entries: Map<string, EntryRow>
  /** Network ids of replies that we sent. */
  replies: Set<string>
  /** The profile's own posts and comments, until they get a reply. */
  parked: Map<string, ReceivedActivity>
  posts: Map<string, PostFacts>
  languages: Map<string, string>

  /** State of existing items before the changes. */
  before: Map<string, ItemRow>
  newItems: ItemRow[]
  newEntries: EntryRow[]
  changedEntries: Set<EntryRow>
  /** Items that were closed. */
  reopened: Set<string>
  /** Items with changed search terms and the added texts; undefined if all terms must be rebuilt. */
  searchTerms: Map<string, string[] | undefined>
  outcomes: Outcome[]
  events: { event: ItemEvent; data: ItemEventData }[]
  arrived: InnerEvents['inboxEntryArrived'][]
  /** Ids that waiting activities may depend on. */
  known: Set<string>
}

/** A sent post that something was received under. */
export interface PostFacts {
  postlogId: string
  url: string
  text: string
  media: string[]
}

/** Our own posts among these, by id on the network. */
export async function postsOf(
  context: Context,
  credentialId: string,
  remoteIds: readonly string[],
): Promise<Map<string, PostFacts>> {
  const { db, accountId } = context
  if (remoteIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('postlogs as l')
    .innerJoin('messages as m', (join) => join.on('m.accountId', '=', accountId).onRef('m.id', '=', 'l.messageId'))
    .select(['l.id', 'l.remoteId', 'l.remoteUrl', 'l.messageId', 'm.message'])
    .where('l.accountId', '=', accountId)
    .where('l.credentialId', '=', credentialId)
    .where('l.remoteId', 'in', remoteIds)
    .where('l.remoteId', '<>', '')
    .execute()
  const media = await mediaOfAll(
    context,
    rows.map(({ messageId }) => messageId),
  )
  return new Map(
    rows.map(({ id: postlogId, remoteId, remoteUrl: url, message: text, messageId }) => [
      remoteId,
      { postlogId, url, text, media: (media.get(messageId) ?? []).map((asset) => asset.resource) },
    ]),
  )
}

/** The item an activity belongs to: an existing one, a new one, or none yet while its parent is unknown. */
type ItemMatch =
  | { item: ItemRow }
  | { begins: { key: string; itemType: ItemRow['itemType']; with?: ReceivedActivity | undefined } }
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
export function keysFor(network: string, activity: Received): string[] {
  if (isMessage(activity)) return [threadKey(activity)]
  const { prefix } = publicKinds(network)
  const ids = [activity.remoteId, activity.parentId, activity.postId].filter((id) => id !== '')
  return ids.flatMap((id) => [`${prefix}:${id}`, `mention:${id}`])
}

export function matchItem(batch: Batch, { activity, due }: ReceivedActivity, now: Date): ItemMatch | undefined {
  const own = isOwn(activity, batch)
  if (isMessage(activity)) {
    const key = threadKey(activity)
    const item = batch.itemsByKey.get(key)
    if (item) return { item }
    return own ? { waitsFor: key, untilAnswered: true } : { begins: { key, itemType: 'Conversation' } }
  }
  const { prefix, itemType } = publicKinds(batch.network)
  const { remoteId, postId, kind } = activity
  // Started by a reply, before this was received.
  const late = batch.itemsByKey.get(`${prefix}:${remoteId}`)
  if (late) return { item: late }
  const parent = parentItemOf(batch, activity)
  if (parent === '') {
    if (own) return { waitsFor: under(remoteId), untilAnswered: true }
    if (kind === 'mention' && !isUnderOurs(batch, activity))
      return { begins: { key: `mention:${remoteId}`, itemType: 'Mention' } }
    return { begins: { key: `${prefix}:${remoteId}`, itemType } }
  }
  const entry = batch.entries.get(parent)
  const known = entry ? batch.items.get(entry.itemId) : batch.itemsByKey.get(`${prefix}:${parent}`)
  if (known) return { item: known }
  const parked = batch.parked.get(parent)
  if (parked && !own) return { begins: { key: `${prefix}:${parent}`, itemType, with: parked } }
  // A mention in another conversation starts an item of its own.
  if (kind === 'mention' && !batch.posts.has(postId))
    return { begins: { key: `mention:${remoteId}`, itemType: 'Mention' } }
  const isOverdue = due !== null && due <= now
  if (!isOverdue) return { waitsFor: parent }
  return own ? undefined : { begins: { key: `${prefix}:${parent}`, itemType } }
}

/** The comment it replies to, or the mention it belongs to. */
function parentItemOf({ entries, itemsByKey }: Batch, { parentId, postId, remoteId }: Received): string {
  if (parentId !== '') return parentId
  return postId !== remoteId && (entries.has(postId) || itemsByKey.has(`mention:${postId}`)) ? postId : ''
}

/** A comment under our own post that mentions us is a comment, however it was received. */
const isUnderOurs = ({ posts }: Batch, { postId, remoteId }: Received) => postId !== remoteId && posts.has(postId)
