import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { newId } from '#kernel/ids.ts'
import type { Job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Network } from '#networks/manifests.ts'

/** One feed that is to be fetched. */
export interface FeedPlace {
  accountId: string
  feedId: string
}

export const fetchFeed: Pick<Job<FeedPlace>, 'name' | 'queue'> = { name: 'streams.fetch-feed', queue: 'streams' }

interface Asked {
  credentialId: string
  network: Network
  type: string
  keyword: string
}

/** The feed that asks this, made if nobody has asked it yet; held, so that it does not go with another stream meanwhile. Gives its id. */
export async function joinFeed(context: Context, asked: Asked): Promise<string> {
  const { db, accountId, now } = context
  const { id, notBefore } = await db
    .insertInto('streamFeeds')
    .values({ accountId, id: newId('streamFeed', now), created: now, ...asked, looked: now, notBefore: now })
    .onConflict((on) =>
      on
        .columns(['accountId', 'credentialId', 'type', 'keyword'])
        .doUpdateSet(({ ref }) => ({ looked: ref('excluded.looked') })),
    )
    .returning(['id', 'notBefore'])
    .executeTakeFirstOrThrow()
  await wantFetch(context, id, notBefore)
  return id
}

/** Sees to it that the feed is fetched, once, when its network may be asked again. */
export const wantFetch = (context: Context, feedId: string, notBefore: Date) =>
  enqueue(
    context,
    fetchFeed,
    { accountId: context.accountId, feedId },
    { key: feedId, due: notBefore > context.now ? notBefore : context.now },
  )

/** Feeds that are there, held until the change is made, in the order of their ids. */
export const holdFeeds = ({ db, accountId }: Context, ids: readonly string[]) =>
  db
    .selectFrom('streamFeeds')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .orderBy('id')
    .modifyEnd(heldRows('streamFeeds', 'update'))
    .execute()

/** Forgets feeds that no stream shows any more, with what they showed. */
export async function forgetFeeds({ db, accountId }: Context, ids: readonly string[]) {
  await db
    .deleteFrom('streamFeeds')
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .where(sql<boolean>`not exists (
      select from streams s where s.account_id = ${accountId} and s.feed_id = stream_feeds.id)`)
    .execute()
}
