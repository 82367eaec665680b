import { createHash } from 'node:crypto'
import { cleanId, cleanMedia, cleanName, cleanText, cleanUrl } from '#areas/inbox/ingest/received.ts'
import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Budgets } from '#areas/profiles/budget/budgets.ts'
import { throttledUntil } from '#areas/sending/profile-partitions.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { inLaterIteration } from '#kernel/event-loop/event-loop-time.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import { type Activity, NetworkError } from '#networks/connector/connector.ts'
import { type Network, streamQuery } from '#networks/manifests.ts'
import {
  type FeedRef,
  type FetchFailure,
  failureOf,
  fetchFeed,
  holdFeeds,
  scheduleFetch,
  throttledFailure,
} from './feed.ts'
import { type Fetched, type FetchedItem, maximumItems, storeFailure, storeFetched } from './store-feed.ts'

interface FetchInstallation extends ProfileInstallation {
  /** Milliseconds between two fetches of a feed. */
  streamEvery: number
  budgets: Budgets
}

const minute = 60_000
/** A viewer is active for this long. */
const viewedFor = 5 * minute

/** Fetches the items of a feed while it has viewers. */
export function fetchFeedJob({ streamEvery, budgets, ...installation }: FetchInstallation): Job<FeedRef> {
  const everyOf = (network: string) =>
    budgets.interval(network as Network, 'streams', { floor: streamEvery, pushes: false })
  /** Networks that throttled the app, as known to this process. */
  const throttledNetworks = new Map<string, Date>()
  return job(fetchFeed.name, {
    ...fetchFeed,
    timeout: 2 * minute,
    async run(jobContext, { accountId, feedId }) {
      const { transaction, complete, now } = jobContext
      const feed = await transaction(accountId, (context) => claimFeed(context, feedId, everyOf))
      if (!feed) return
      const every = everyOf(feed.network)
      const found = await fetchFromNetwork(installation, jobContext, { ...feed, every }, throttledNetworks)
      if ('until' in found && found.scope === 'network') throttledNetworks.set(feed.network, found.until)
      await complete(accountId, (context) =>
        'until' in found
          ? storeFailure(context, feed, found)
          : storeFetched(context, feed, found, new Date(now.getTime() + every)),
      )
    },
  })
}

type ClaimedFeed = NonNullable<Awaited<ReturnType<typeof claimFeed>>>

/** Claims the feed for this process until its next fetch. Undefined if it isn't due, or has no viewers. */
async function claimFeed(context: Context, feedId: string, everyOf: (network: string) => number) {
  const { db, accountId, now } = context
  const [feed] = await holdFeeds(context, [feedId])
  if (!feed || Math.abs(now.getTime() - feed.lastViewed.getTime()) > viewedFor) return undefined
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
  const stored = await db
    .selectFrom('streamItems')
    .select('remoteId')
    .where('accountId', '=', accountId)
    .where('feedId', '=', feedId)
    .execute()
  return { ...feed, network: feed.network as Network, known: new Set(stored.map(({ remoteId }) => remoteId)) }
}

async function fetchFromNetwork(
  installation: ProfileInstallation,
  { shared, now, log }: JobContext,
  feed: ClaimedFeed & { every: number },
  throttledNetworks: ReadonlyMap<string, Date>,
): Promise<Fetched | FetchFailure> {
  const { accountId, credentialId: id, network } = feed
  const pausedUntil = throttledNetworks.get(network) ?? now
  const until = pausedUntil > now ? pausedUntil : await throttledUntil(shared, { accountId, id, network }, now)
  if (until) return throttledFailure(network, until, 'feed')
  try {
    return await fetchItems(installation, feed, now)
  } catch (error) {
    if (!(error instanceof NetworkError || error instanceof Refusal))
      skipRow(log, { kind: 'stream feed', id: feed.id }, error)
    return failureOf(error, { ...feed, now, publicUrl: installation.publicUrl() })
  }
}

/** Pages per fetch: new items since the last fetch, and somewhat more the first time. */
const maximumPages = 3

interface FetchOptions {
  accountId: string
  credentialId: string
  network: Network
  type: string
  keyword: string
  /** Ids of stored items: fetching stops at the first of them. */
  known: ReadonlySet<string>
}

/** Fetches pages until a known item appears. */
async function fetchItems(installation: ProfileInstallation, options: FetchOptions, now: Date): Promise<Fetched> {
  const { accountId, credentialId, network, type, keyword, known } = options
  const query = streamQuery(network, type, keyword)
  const { activities, isWhole } = await withProfile(
    installation,
    { accountId, id: credentialId },
    async (connector, actor) => {
      const found: Activity[] = []
      let cursor: string | undefined
      for (let page = 0; page < maximumPages; page++) {
        const { items, cursor: next } = await connector.fetchStream(actor, query, cursor)
        found.push(...items)
        if (next === undefined) return { activities: found, isWhole: true }
        if (items.some((item) => known.has(idOf(item)))) break
        cursor = next
      }
      return { activities: found, isWhole: false }
    },
  )
  const items = new Map<string, FetchedItem>()
  for (const activity of activities.slice(0, maximumItems)) {
    const remoteId = idOf(activity)
    if (!items.has(remoteId)) items.set(remoteId, cleaned(activity, remoteId, now))
    // Long texts take time: yields to other work.
    await new Promise<void>((resolve) => inLaterIteration(accountId, resolve))
  }
  return { items: [...items.values()], isWhole }
}

function cleaned({ kind, at, postId, from, text, media, url }: Activity, remoteId: string, now: Date): FetchedItem {
  return {
    remoteId,
    kind,
    at: isPlausible(at, now) ? at : now,
    postId: cleanId(postId) ?? '',
    personId: cleanId(from?.id) ?? '',
    personName: cleanName(from?.name),
    personUsername: cleanName(from?.username),
    personPicture: cleanUrl(from?.picture),
    text: cleanText(text),
    media: cleanMedia(media),
    url: cleanUrl(url),
  }
}

/** The network's id, or a hash of it if it can't be stored. */
const idOf = ({ remoteId }: Activity): string =>
  cleanId(remoteId) ?? `hash:${createHash('sha256').update(String(remoteId).toWellFormed()).digest('hex')}`

const earliest = Date.UTC(2000, 0, 1)
const day = 24 * 60 * 60_000

const isPlausible = (at: Date, now: Date) => at.getTime() >= earliest && at.getTime() <= now.getTime() + day
