import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { notifyStreamChanged } from '../stream/stream.ts'
import { type FetchFailure, holdFeeds, scheduleFetch } from './feed.ts'

/** Maximum stored items per feed. */
export const maximumItems = 200

/** A stored item: untrusted data, sanitized and bounded. */
export interface FetchedItem {
  remoteId: string
  kind: string
  at: Date
  postId: string
  personId: string
  personName: string
  personUsername: string
  personPicture: string
  text: string
  media: string[]
  url: string
}

export interface Fetched {
  /** In the network's order, newest first, without duplicates. */
  items: FetchedItem[]
  /** Whether the network has no further items. */
  isWhole: boolean
}

interface FetchedFeed {
  id: string
  credentialId: string
}

/** Stores fetched items and schedules the next fetch. */
export async function storeFetched(context: Context, { id }: FetchedFeed, fetched: Fetched, notBefore: Date) {
  const { db, accountId, now } = context
  const [feed] = await holdFeeds(context, [id])
  if (!feed) return
  const { lastPosition, isChanged } = await mergeItems(context, feed, fetched)
  await db
    .updateTable('streamFeeds')
    .set({ fetched: now, failures: 0, error: '', lastPosition, notBefore })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  if (isChanged || feed.error !== '' || feed.fetched === null) await notifyStreamsChanged(context, id)
  await scheduleFetch(context, id, notBefore)
}

/** Records the error; earlier items stay. */
export async function storeFailure(
  context: Context,
  { id, credentialId }: FetchedFeed,
  { error, until, scope }: FetchFailure,
) {
  const { db, accountId, now } = context
  const others = scope === 'profile' ? await feedsOf(context, credentialId) : []
  const held = await holdFeeds(context, [id, ...others])
  const feed = held.find((one) => one.id === id)
  if (!feed) return
  await db
    .updateTable('streamFeeds')
    .set({ failed: now, failures: feed.failures + 1, error, notBefore: until })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  // All feeds of the profile wait with it.
  for (const other of held)
    if (other.id !== id && other.notBefore < until)
      await db
        .updateTable('streamFeeds')
        .set({ notBefore: until })
        .where('accountId', '=', accountId)
        .where('id', '=', other.id)
        .execute()
  if (feed.error !== error) await notifyStreamsChanged(context, id)
  await scheduleFetch(context, id, until)
}

async function feedsOf({ db, accountId }: Context, credentialId: string): Promise<string[]> {
  const feeds = await db
    .selectFrom('streamFeeds')
    .select('id')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .execute()
  return feeds.map(({ id }) => id)
}

async function notifyStreamsChanged(context: Context, feedId: string) {
  const streams = await context.db
    .selectFrom('streams')
    .select(['id', 'streamTabId'])
    .where('accountId', '=', context.accountId)
    .where('feedId', '=', feedId)
    .execute()
  for (const stream of streams) notifyStreamChanged(context, stream)
}

/** Stored state of a locked feed. */
interface StoredFeed {
  id: string
  lastPosition: number
}

/**
 * Merges fetched items into the stored ones: new items first in the network's order, changed texts updated, and removed
 * items deleted. Returns the last used position, and whether anything changed.
 */
async function mergeItems(context: Context, { id, lastPosition }: StoredFeed, { items, isWhole }: Fetched) {
  const { db, accountId } = context
  const rows = await db
    .selectFrom('streamItems')
    .select(['remoteId', 'position'])
    .where('accountId', '=', accountId)
    .where('feedId', '=', id)
    .execute()
  const before = new Map(rows.map(({ remoteId, position }) => [remoteId, position]))
  const fresh = items.filter(({ remoteId }) => !before.has(remoteId))
  const last = lastPosition + fresh.length
  const positions = new Map(before)
  for (const [index, { remoteId }] of fresh.entries()) positions.set(remoteId, last - index)
  const removed = [...missingFrom(before, items, isWhole), ...excessOf(positions)]
  for (const remoteId of removed) positions.delete(remoteId)
  const changed = await write(
    context,
    id,
    items.filter(({ remoteId }) => positions.has(remoteId)),
    positions,
  )
  await removeItems(
    context,
    id,
    removed.filter((remoteId) => before.has(remoteId)),
  )
  return { lastPosition: last, isChanged: changed + removed.length > 0 }
}

/** Stored items before the last known one that are missing; for a complete feed, all that are missing. */
function missingFrom(before: ReadonlyMap<string, number>, items: readonly FetchedItem[], isWhole: boolean): string[] {
  const shown = new Set(items.map(({ remoteId }) => remoteId))
  const lastKnown = items.findLast(({ remoteId }) => before.has(remoteId))
  const edge = isWhole ? 0 : (before.get(lastKnown?.remoteId ?? '') ?? Number.POSITIVE_INFINITY)
  return [...before]
    .filter(([remoteId, position]) => position > edge && !shown.has(remoteId))
    .map(([remoteId]) => remoteId)
}

const excessOf = (positions: ReadonlyMap<string, number>): string[] =>
  [...positions]
    .sort(([, one], [, other]) => other - one)
    .slice(maximumItems)
    .map(([remoteId]) => remoteId)

/** Returns the number of new and changed items. */
async function write(
  { db, accountId }: Context,
  feedId: string,
  items: readonly FetchedItem[],
  positions: ReadonlyMap<string, number>,
): Promise<number> {
  if (items.length === 0) return 0
  const column = <Value>(read: (item: FetchedItem) => Value) => items.map(read)
  const { rows } = await sql`
    insert into stream_items (account_id, feed_id, remote_id, position, kind, at, post_id, person_id, person_name, person_username,
      person_picture, text, media, url)
    select ${accountId}, ${feedId}, i.remote_id, i.position, i.kind, i.at, i.post_id, i.person_id, i.person_name, i.person_username,
      i.person_picture, i.text, i.media::jsonb, i.url
    from unnest(${column((item) => item.remoteId)}::text[], ${column((item) => positions.get(item.remoteId))}::integer[],
      ${column((item) => item.kind)}::text[], ${column((item) => item.at)}::timestamptz[], ${column((item) => item.postId)}::text[],
      ${column((item) => item.personId)}::text[], ${column((item) => item.personName)}::text[],
      ${column((item) => item.personUsername)}::text[], ${column((item) => item.personPicture)}::text[],
      ${column((item) => item.text)}::text[], ${column((item) => JSON.stringify(item.media))}::text[],
      ${column((item) => item.url)}::text[])
      as i (remote_id, position, kind, at, post_id, person_id, person_name, person_username, person_picture, text, media, url)
    on conflict (account_id, feed_id, remote_id) do update set kind = excluded.kind, at = excluded.at,
      person_name = excluded.person_name, person_username = excluded.person_username, person_picture = excluded.person_picture,
      text = excluded.text, media = excluded.media, url = excluded.url
    where (stream_items.person_name, stream_items.person_username, stream_items.person_picture, stream_items.text,
        stream_items.media, stream_items.url)
      is distinct from (excluded.person_name, excluded.person_username, excluded.person_picture, excluded.text,
        excluded.media, excluded.url)
    returning remote_id`.execute(db)
  return rows.length
}

async function removeItems({ db, accountId }: Context, feedId: string, remoteIds: readonly string[]) {
  if (remoteIds.length === 0) return
  await db
    .deleteFrom('streamItems')
    .where('accountId', '=', accountId)
    .where('feedId', '=', feedId)
    .where(sql<boolean>`remote_id = any (${remoteIds})`)
    .execute()
}
