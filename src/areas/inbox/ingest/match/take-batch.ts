import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { holdItems, visibleItems } from '../../item/item-row.ts'
import type { EntryRow } from '../../timeline/timeline.ts'
import type { Received } from '../received.ts'
import { type Arrival, type Batch, postsOf } from './batch.ts'
import { keysFor, under } from './home.ts'

const atOnce = 100

/** Claims the next activities of a profile; undefined if there are none, or if the profile isn't watched any more. */
export async function takeBatch(context: Context, credentialId: string): Promise<Batch | undefined> {
  const { db, accountId } = context
  // One batch at a time per profile: related activities come through the same profile.
  const profile = await db
    .selectFrom('inboxProfiles')
    .select(['network'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .modifyEnd(heldRows('inboxProfiles', 'update'))
    .executeTakeFirst()
  if (!profile) return undefined
  const rows = await db
    .selectFrom('inboxArrivals')
    .select(['dedupeKey', 'activity', 'received', 'due'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('state', '=', sql.lit('new'))
    .orderBy('received')
    .orderBy('dedupeKey')
    .limit(atOnce)
    .execute()
  if (rows.length === 0) return undefined
  const arrivals = rows.flatMap(({ activity, ...row }) => (isHeard(activity) ? [{ ...row, heard: activity }] : []))
  const unreadable = rows.filter(({ activity }) => !isHeard(activity)).map(({ dedupeKey }) => dedupeKey)
  arrivals.sort((one, other) => order(one.heard.at, other.heard.at) || order(one.dedupeKey, other.dedupeKey))
  const found = await surroundings(context, credentialId, profile.network, arrivals)
  const empty = { newItems: [], newEntries: [], outcomes: [], told: [], arrived: [], languages: new Map() }
  const sets = { changedEntries: new Set<EntryRow>(), reopened: new Set<string>(), known: new Set<string>() }
  const fresh = { words: new Map(), ...sets, ...empty }
  return { credentialId, network: profile.network, arrivals, unreadable, ...fresh, ...found }
}

const order = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

const isHeard = (activity: unknown): activity is Received =>
  typeof activity === 'object' && activity !== null && 'remoteId' in activity && 'person' in activity

async function surroundings(context: Context, credentialId: string, network: string, arrivals: readonly Arrival[]) {
  const { db, accountId } = context
  const heard = arrivals.map((arrival) => arrival.heard)
  const ids = distinct(heard.flatMap(({ remoteId, parentId, postId }) => [remoteId, parentId, postId]))
  const keys = distinct(heard.flatMap((one) => keysFor(network, one)))
  const parents = distinct(heard.map(({ parentId }) => parentId))
  const [entryRows, keyed, replies, parkedRows, posts, profile] = [
    await spokenWith(context, credentialId, ids),
    await visibleItems(context).where('credentialId', '=', credentialId).where('remoteKey', 'in', keys).execute(),
    await repliesAmong(context, credentialId, ids),
    await parkedUnder(context, credentialId, parents),
    await postsOf(context, credentialId, distinct(heard.map(({ postId }) => postId))),
    await db
      .selectFrom('credentials')
      .select('networkAccountId')
      .where('accountId', '=', accountId)
      .where('id', '=', credentialId)
      .executeTakeFirst(),
  ]
  const itemIds = distinct([...entryRows.map(({ itemId }) => itemId), ...keyed.map(({ id }) => id)])
  const held = itemIds.length > 0 ? await holdItems(context, itemIds) : []
  // Read again after locking: a reply of ours may have received its id meanwhile.
  const entries = held.length > 0 ? await spokenWith(context, credentialId, ids) : entryRows
  return {
    ownId: profile?.networkAccountId ?? '',
    items: new Map(held.map((item) => [item.id, item])),
    itemsByKey: new Map(held.map((item) => [item.remoteKey, item])),
    before: new Map(held.map((item) => [item.id, { ...item }])),
    entries: new Map(entries.map((entry) => [entry.remoteId, entry])),
    replies,
    parked: new Map(parkedRows.map((arrival) => [arrival.heard.remoteId, arrival])),
    posts,
  }
}

const distinct = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== '')

/** Entries with these ids; likes and shares have other ids. */
const spokenWith = ({ db, accountId }: Context, credentialId: string, ids: readonly string[]): Promise<EntryRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('inboxEntries')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('credentialId', '=', credentialId)
        .where('remoteId', '<>', '')
        .where('remoteId', 'in', ids)
        .where('type', 'in', ['message', 'comment', 'reply'])
        .execute()

async function repliesAmong({ db, accountId }: Context, credentialId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>()
  const rows = await db
    .selectFrom('inboxReplies')
    .select('remoteId')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('remoteId', '<>', '')
    .where('remoteId', 'in', ids)
    .execute()
  return new Set(rows.map(({ remoteId }) => remoteId))
}

async function parkedUnder({ db, accountId }: Context, credentialId: string, parents: readonly string[]) {
  if (parents.length === 0) return []
  const rows = await db
    .selectFrom('inboxArrivals')
    .select(['dedupeKey', 'activity', 'received', 'due'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('state', '=', sql.lit('waiting'))
    .where('waitsFor', 'in', parents.map(under))
    .execute()
  return rows.flatMap(({ activity, ...row }) => (isHeard(activity) ? [{ ...row, heard: activity }] : []))
}
