import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { StreamItems } from '#kernel/database/tables.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { connectAgain, wantFetch } from './feed.ts'
import type { StreamItemSearch } from './stream-item-shape.ts'

/** What was fetched last, from where the page before it ended. Looking is what lets a stream be fetched. */
export async function list(context: Context, { id, _after = '', _count = usualCount }: StreamItemSearch) {
  if (!/^\d{0,9}$/.test(_after)) throw invalid('_after must be the Next of another page.')
  const feed = await feedOf(context, id)
  await noteLook(context, feed)
  const rows = await context.db
    .selectFrom('streamItems')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('feedId', '=', feed.id)
    .$if(_after !== '', (items) => items.where('place', '<', Number(_after)))
    .orderBy('place', 'desc')
    // One more tells whether there is another page.
    .limit(_count + 1)
    .execute()
  const items = rows.slice(0, _count)
  const next = rows.length > _count ? String(items.at(-1)?.place) : null
  return { items: items.map(shown), next, fetched: feed.fetched, error: errorOf(context, feed) }
}

const usualCount = 25

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
  looked: Date
  notBefore: Date
  fetched: Date | null
  failed: Date | null
  error: string
  /** How the profile stands that asks, why, and since when. */
  status: 'valid' | 'invalid'
  statusReason: string
  changed: Date
}

async function feedOf({ db, accountId }: Context, streamId: string): Promise<Feed> {
  const { rows } = await sql<Feed>`
    select f.id, f.network, f.looked, f.not_before, f.fetched, f.failed, f.error, c.status, c.status_reason, c.modified as changed
    from streams s
    join stream_feeds f on f.account_id = ${accountId} and f.id = s.feed_id
    join credentials c on c.account_id = ${accountId} and c.id = f.credential_id
    where s.account_id = ${accountId} and s.id = ${streamId}`.execute(db)
  const [feed] = rows
  if (!feed) throw missing('Stream')
  return feed
}

/** Who looks again within this time is not written down. */
const noticed = 30_000

/** Somebody looks: the feed is fetched when its network may be asked, and goes on being fetched for a while. */
async function noteLook(context: Context, { id, looked, notBefore, failed, error, status, changed }: Feed) {
  const { db, accountId, now } = context
  // Also where the clock was ahead when somebody looked last.
  if (Math.abs(now.getTime() - looked.getTime()) < noticed) return
  // What was wrong with the profile may be right again.
  const isCured = error !== '' && failed !== null && changed > failed
  await db
    .updateTable('streamFeeds')
    .set({ looked: now, ...(isCured && { notBefore: now }) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  if (status === 'valid') await wantFetch(context, id, isCured ? now : notBefore)
}

/** A profile that cannot be used is said at once, whatever was wrong when the network was asked last. */
function errorOf({ publicUrl }: Context, { network, status, statusReason, error }: Feed): string {
  if (status === 'valid') return error
  const why = statusReason || `${network} does not let Chorus use the profile any more.`
  return `${why} ${connectAgain(publicUrl, network)}`
}
