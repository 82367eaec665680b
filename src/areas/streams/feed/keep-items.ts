import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Fetched, type FetchedItem, mostItems } from './fetched-items.ts'

/** What is kept of a feed that is held. */
interface Kept {
  id: string
  lastPlace: number
}

/**
 * Puts what a network shows into what was kept of it: what is new in the network's order before the rest, what has other words now with
 * those, and what the network shows no longer is gone. Gives the last place that was taken, and whether anything is another.
 */
export async function keepItems(context: Context, { id, lastPlace }: Kept, { items, isWhole }: Fetched) {
  const { db, accountId } = context
  const rows = await db
    .selectFrom('streamItems')
    .select(['remoteId', 'place'])
    .where('accountId', '=', accountId)
    .where('feedId', '=', id)
    .execute()
  const before = new Map(rows.map(({ remoteId, place }) => [remoteId, place]))
  const fresh = items.filter(({ remoteId }) => !before.has(remoteId))
  const last = lastPlace + fresh.length
  const places = new Map(before)
  for (const [index, { remoteId }] of fresh.entries()) places.set(remoteId, last - index)
  const gone = [...missingFrom(before, items, isWhole), ...tooMany(places)]
  for (const remoteId of gone) places.delete(remoteId)
  const changed = await write(
    context,
    id,
    items.filter(({ remoteId }) => places.has(remoteId)),
    places,
  )
  await removeItems(
    context,
    id,
    gone.filter((remoteId) => before.has(remoteId)),
  )
  return { lastPlace: last, isChanged: changed + gone.length > 0 }
}

/** What stood before the last item that is known, and is not there any more; of a feed that is shown whole, all that is not in it. */
function missingFrom(before: ReadonlyMap<string, number>, items: readonly FetchedItem[], isWhole: boolean): string[] {
  const shown = new Set(items.map(({ remoteId }) => remoteId))
  const lastKnown = items.findLast(({ remoteId }) => before.has(remoteId))
  const edge = isWhole ? 0 : (before.get(lastKnown?.remoteId ?? '') ?? Number.POSITIVE_INFINITY)
  return [...before].filter(([remoteId, place]) => place > edge && !shown.has(remoteId)).map(([remoteId]) => remoteId)
}

const tooMany = (places: ReadonlyMap<string, number>): string[] =>
  [...places]
    .sort(([, one], [, other]) => other - one)
    .slice(mostItems)
    .map(([remoteId]) => remoteId)

/** Gives how many are new or say something else. */
async function write(
  { db, accountId }: Context,
  feedId: string,
  items: readonly FetchedItem[],
  places: ReadonlyMap<string, number>,
): Promise<number> {
  if (items.length === 0) return 0
  const column = <Value>(read: (item: FetchedItem) => Value) => items.map(read)
  const { rows } = await sql`
    insert into stream_items (account_id, feed_id, remote_id, place, kind, at, post_id, person_id, person_name, person_username,
      person_picture, text, media, url)
    select ${accountId}, ${feedId}, i.remote_id, i.place, i.kind, i.at, i.post_id, i.person_id, i.person_name, i.person_username,
      i.person_picture, i.text, i.media::jsonb, i.url
    from unnest(${column((item) => item.remoteId)}::text[], ${column((item) => places.get(item.remoteId))}::integer[],
      ${column((item) => item.kind)}::text[], ${column((item) => item.at)}::timestamptz[], ${column((item) => item.postId)}::text[],
      ${column((item) => item.personId)}::text[], ${column((item) => item.personName)}::text[],
      ${column((item) => item.personUsername)}::text[], ${column((item) => item.personPicture)}::text[],
      ${column((item) => item.text)}::text[], ${column((item) => JSON.stringify(item.media))}::text[],
      ${column((item) => item.url)}::text[])
      as i (remote_id, place, kind, at, post_id, person_id, person_name, person_username, person_picture, text, media, url)
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
