import type { InnerEvents } from '#areas/events/catalogue/catalogue.ts'
import type { ItemEvent, Told } from '../../item/item.events.ts'
import type { ItemRow } from '../../item/item-row.ts'
import type { EntryRow } from '../../timeline/entry.ts'
import type { Heard } from '../heard.ts'
import type { PostFacts } from './post-facts.ts'

/** Something that was heard and has its turn. */
export interface Arrival {
  dedupeKey: string
  heard: Heard
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
