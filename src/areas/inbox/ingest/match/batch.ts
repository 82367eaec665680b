import type { InnerEvents } from '#areas/events/inner-events.ts'
import { mediaOfAll } from '#areas/publishing/message/message.ts'
import type { Context } from '#kernel/context.ts'
import type { ItemEvent, Told } from '../../item/item.events.ts'
import type { ItemRow } from '../../item/item-row.ts'
import type { EntryRow } from '../../timeline/timeline.ts'
import type { Received } from '../received.ts'

/** Something that was heard and has its turn. */
export interface Arrival {
  dedupeKey: string
  heard: Received
  received: Date
  /** Until when it could wait, of one that has. */
  due: Date | null
}

/** What becomes of an arrival. */
export interface Outcome {
  dedupeKey: string
  state: 'waiting' | 'done' | 'refused'
  waitsFor?: string
  due?: Date
  reason?: string
}

/** A few arrivals of one profile, and all that decides where they belong: as it stands, and as it becomes while they are placed. */
export interface Batch {
  credentialId: string
  network: string
  /** The profile's own id at the network. */
  ownId: string
  arrivals: Arrival[]
  /** Those of which nothing can be read. */
  unreadable: string[]
  items: Map<string, ItemRow>
  itemsByKey: Map<string, ItemRow>
  /** By the network's id. */
  entries: Map<string, EntryRow>
  /** Ids at the network of answers that we sent. */
  replies: Set<string>
  /** What the profile said by itself, until somebody answers it. */
  parked: Map<string, Arrival>
  posts: Map<string, PostFacts>
  languages: Map<string, string>

  /** Items as they were before, of those that exist. */
  before: Map<string, ItemRow>
  newItems: ItemRow[]
  newEntries: EntryRow[]
  changedEntries: Set<EntryRow>
  /** Items that were closed. */
  reopened: Set<string>
  /** Items whose words are others, and what was added to them; nothing where all must be gathered anew. */
  words: Map<string, string[] | undefined>
  outcomes: Outcome[]
  told: { event: ItemEvent; told: Told }[]
  arrived: InnerEvents['inboxEntryArrived'][]
  /** What others may have waited for. */
  known: Set<string>
}

/** What is known of a post that we sent: something stands under it. */
export interface PostFacts {
  postlogId: string
  url: string
  text: string
  media: string[]
}

/** Our own posts among these, by the network's id. */
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
