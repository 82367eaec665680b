import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { StreamItems } from '#kernel/database/tables.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { type PersonalDataLocation, patternsOf, traitsOf } from '#kernel/personal-data.ts'
import { connectAgain, scheduleFetch } from '../feed/feed.ts'
import type { StreamItemSearch } from './stream-shape.ts'

/** A page of fetched items. Records the view, which keeps the stream being fetched. */
export async function list(context: Context, { id, _after = '', _count = defaultCount }: StreamItemSearch) {
  if (!/^\d{0,9}$/.test(_after)) throw invalid('_after must be the Next of another page.')
  const feed = await feedOf(context, id)
  await recordView(context, feed)
  const rows = await context.db
    .selectFrom('streamItems')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('feedId', '=', feed.id)
    .$if(_after !== '', (items) => items.where('position', '<', Number(_after)))
    .orderBy('position', 'desc')
    // One more row shows whether there is another page.
    .limit(_count + 1)
    .execute()
  const items = rows.slice(0, _count)
  const next = rows.length > _count ? String(items.at(-1)?.position) : null
  return { items: items.map(shown), next, fetched: feed.fetched, error: errorOf(context, feed) }
}

const defaultCount = 25

type ItemRow = Selectable<StreamItems>

const shown = ({ remoteId, personId, personName, personUsername, personPicture, media, ...item }: ItemRow) => ({
  ...item,
  id: remoteId,
  person: { id: personId, name: personName, username: personUsername, picture: personPicture },
  media: media as string[],
})

interface Feed {
  id: string
  network: string
  lastViewed: Date
  notBefore: Date
  fetched: Date | null
  failed: Date | null
  error: string
  /** Status of the profile, its reason and time. */
  status: 'valid' | 'invalid'
  statusReason: string
  changed: Date
}

async function feedOf({ db, accountId }: Context, streamId: string): Promise<Feed> {
  const { rows } = await sql<Feed>`
    select f.id, f.network, f.last_viewed as "lastViewed", f.not_before, f.fetched, f.failed, f.error, c.status, c.status_reason, c.modified as changed
    from streams s
    join stream_feeds f on f.account_id = ${accountId} and f.id = s.feed_id
    join credentials c on c.account_id = ${accountId} and c.id = f.credential_id
    where s.account_id = ${accountId} and s.id = ${streamId}`.execute(db)
  const [feed] = rows
  if (!feed) throw missing('Stream')
  return feed
}

/** Repeated views within this time aren't recorded. */
const viewInterval = 30_000

/** Records a view: the feed is fetched when allowed, and for a while afterwards. */
async function recordView(context: Context, { id, lastViewed, notBefore, failed, error, status, changed }: Feed) {
  const { db, accountId, now } = context
  // Also if the clock was ahead at the last view.
  if (Math.abs(now.getTime() - lastViewed.getTime()) < viewInterval) return
  // The profile may work again.
  const isRepaired = error !== '' && failed !== null && changed > failed
  await db
    .updateTable('streamFeeds')
    .set({ lastViewed: now, ...(isRepaired && { notBefore: now }) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  if (status === 'valid') await scheduleFetch(context, id, isRepaired ? now : notBefore)
}

/** An unusable profile is reported immediately, independent of the last error. */
function errorOf({ publicUrl }: Context, { network, status, statusReason, error }: Feed): string {
  if (status === 'valid') return error
  const why = statusReason || `${network} does not let Chorus use the profile any more.`
  return `${why} ${connectAgain(publicUrl, network)}`
}

/** Stored stream items of a person. A later fetch may return them again if the network still shows them publicly. */
export const streamsPersonalData: PersonalDataLocation = {
  name: 'streams',
  async forget({ db, accountId }, person) {
    const { profiles } = person
    const traits = patternsOf(traitsOf(person))
    const known = sql`unnest(${profiles.map(({ network }) => network)}::text[], ${profiles.map(({ remoteId }) => remoteId)}::text[])`
    // The total size of an account's feeds is bounded, so one step suffices.
    await sql`
      delete from stream_items i using stream_feeds f
      where i.account_id = ${accountId} and f.account_id = ${accountId} and f.id = i.feed_id and (
        exists (select from ${known} as p (network, remote_id) where p.network = f.network and p.remote_id = i.person_id)
        or i.person_name ilike any (${traits}::text[]) or i.person_username ilike any (${traits}::text[])
        or i.person_picture ilike any (${traits}::text[]) or i.text ilike any (${traits}::text[]) or i.url ilike any (${traits}::text[]))`.execute(
      db,
    )
    return undefined
  },
}
