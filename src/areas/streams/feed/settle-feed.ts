import type { Context } from '#kernel/context.ts'
import { hintStream } from '../stream-hints.ts'
import { holdFeeds, wantFetch } from './feed.ts'
import type { Trouble } from './feed-trouble.ts'
import type { Fetched } from './fetched-items.ts'
import { keepItems } from './keep-items.ts'

interface Settled {
  id: string
  credentialId: string
}

/** Keeps what the network shows now, and lets the feed be fetched again in its time. */
export async function settleFetched(context: Context, { id }: Settled, fetched: Fetched, notBefore: Date) {
  const { db, accountId, now } = context
  const [feed] = await holdFeeds(context, [id])
  if (!feed) return
  const { lastPlace, isChanged } = await keepItems(context, feed, fetched)
  await db
    .updateTable('streamFeeds')
    .set({ fetched: now, failures: 0, error: '', lastPlace, notBefore })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  if (isChanged || feed.error !== '' || feed.fetched === null) await hintStreams(context, id)
  await wantFetch(context, id, notBefore)
}

/** Says why there is nothing new; what was fetched before stays. */
export async function settleTrouble(context: Context, { id, credentialId }: Settled, { error, until, scope }: Trouble) {
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
  // All that asks in the profile's name waits with it.
  for (const other of held)
    if (other.id !== id && other.notBefore < until)
      await db
        .updateTable('streamFeeds')
        .set({ notBefore: until })
        .where('accountId', '=', accountId)
        .where('id', '=', other.id)
        .execute()
  if (feed.error !== error) await hintStreams(context, id)
  await wantFetch(context, id, until)
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

async function hintStreams(context: Context, feedId: string) {
  const streams = await context.db
    .selectFrom('streams')
    .select(['id', 'streamTabId'])
    .where('accountId', '=', context.accountId)
    .where('feedId', '=', feedId)
    .execute()
  for (const stream of streams) hintStream(context, stream)
}
