import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Budgets } from '#areas/profiles/budget/budgets.ts'
import { throttledUntil } from '#areas/sending/profile-partitions.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import type { Network } from '#networks/manifests.ts'
import { type FeedRef, fetchFeed, holdFeeds, restOf, scheduleFetch, type Trouble, troubleOf } from './feed.ts'
import { type Fetched, fetchItems } from './fetched-items.ts'
import { storeFailure, storeFetched } from './store-feed.ts'

interface FetchInstallation extends ProfileInstallation {
  /** Milliseconds between two fetches of a feed. */
  streamEvery: number
  budgets: Budgets
}

const minute = 60_000
/** A viewer is active for this long. */
const attention = 5 * minute

/** Fetches the items of a feed while it has viewers. */
export function fetchFeedJob({ streamEvery, budgets, ...installation }: FetchInstallation): Job<FeedRef> {
  const everyOf = (network: string) =>
    budgets.interval(network as Network, 'streams', { floor: streamEvery, pushes: false })
  /** Networks that throttled the app, as known to this process. */
  const rests = new Map<string, Date>()
  return job(fetchFeed.name, {
    ...fetchFeed,
    timeout: 2 * minute,
    async run(jobContext, { accountId, feedId }) {
      const { transaction, complete, now } = jobContext
      const feed = await transaction(accountId, (context) => takeFeed(context, feedId, everyOf))
      if (!feed) return
      const every = everyOf(feed.network)
      const found = await fetchFromNetwork(installation, jobContext, { ...feed, every }, rests)
      if ('until' in found && found.scope === 'network') rests.set(feed.network, found.until)
      await complete(accountId, (context) =>
        'until' in found
          ? storeFailure(context, feed, found)
          : storeFetched(context, feed, found, new Date(now.getTime() + every)),
      )
    },
  })
}

type Taken = NonNullable<Awaited<ReturnType<typeof takeFeed>>>

/** Claims the feed for this process until its next fetch. Undefined if it isn't due, or has no viewers. */
async function takeFeed(context: Context, feedId: string, everyOf: (network: string) => number) {
  const { db, accountId, now } = context
  const [feed] = await holdFeeds(context, [feedId])
  if (!feed || Math.abs(now.getTime() - feed.looked.getTime()) > attention) return undefined
  if (feed.notBefore > now) {
    await scheduleFetch(context, feedId, feed.notBefore)
    return undefined
  }
  await db
    .updateTable('streamFeeds')
    .set({ notBefore: new Date(now.getTime() + everyOf(feed.network)) })
    .where('accountId', '=', accountId)
    .where('id', '=', feedId)
    .execute()
  const kept = await db
    .selectFrom('streamItems')
    .select('remoteId')
    .where('accountId', '=', accountId)
    .where('feedId', '=', feedId)
    .execute()
  return { ...feed, network: feed.network as Network, known: new Set(kept.map(({ remoteId }) => remoteId)) }
}

async function fetchFromNetwork(
  installation: ProfileInstallation,
  { shared, now, log }: JobContext,
  feed: Taken & { every: number },
  rests: ReadonlyMap<string, Date>,
): Promise<Fetched | Trouble> {
  const { accountId, credentialId: id, network } = feed
  const rest = rests.get(network) ?? now
  const until = rest > now ? rest : await throttledUntil(shared, { accountId, id, network }, now)
  if (until) return restOf(network, until, 'feed')
  try {
    return await fetchItems(installation, feed, now)
  } catch (error) {
    if (!(error instanceof NetworkError || error instanceof Refusal))
      skipRow(log, { kind: 'stream feed', id: feed.id }, error)
    return troubleOf(error, { ...feed, now, publicUrl: installation.publicUrl() })
  }
}
