import type { InnerEvents } from '#areas/events/inner-events.ts'
import { mediaOfAll } from '#areas/publishing/message/message.ts'
import type { Context } from '#kernel/context.ts'
import type { ItemEvent, Told } from '../../item/item.events.ts'
import type { ItemRow } from '../../item/item-row.ts'
import type { EntryRow } from '../../timeline/timeline.ts'
import type { Received } from '../received.ts'

/** A received activity that is being processed. */
export interface Arrival {
  dedupeKey: string
  heard: Received
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
  arrivals: Arrival[]
  /** Activities that could not be parsed. */
  unreadable: string[]
  items: Map<string, ItemRow>
  itemsByKey: Map<string, ItemRow>
  /** By id on the network. */
  entries: Map<string, EntryRow>
  /** Network ids of replies that we sent. */
  replies: Set<string>
  /** The profile's own posts and comments, until they get a reply. */
  parked: Map<string, Arrival>
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
  words: Map<string, string[] | undefined>
  outcomes: Outcome[]
  told: { event: ItemEvent; told: Told }[]
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
