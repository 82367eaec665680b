import { sql } from 'kysely'
import { cleanText } from '#areas/inbox/ingest/received.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { Refusal } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import type { Job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { SkippedRow } from '#kernel/skipped-rows.ts'
import { NetworkError, type PermanentReason } from '#networks/connector/connector.ts'
import type { Network } from '#networks/manifests.ts'
import { streamIds } from '../declarations.ts'

/** A feed to fetch. */
export interface FeedRef {
  accountId: string
  feedId: string
}

export const fetchFeed: Pick<Job<FeedRef>, 'name' | 'queue'> = { name: 'streams.fetch-feed', queue: 'streams' }

interface FeedQuery {
  credentialId: string
  network: Network
  type: string
  keyword: string
}

/** Finds or creates the feed of a query, locked so that it isn't removed with another stream. Returns its id. */
export async function joinFeed(context: Context, query: FeedQuery): Promise<string> {
  const { db, accountId, now } = context
  const { id, notBefore } = await db
    .insertInto('streamFeeds')
    .values({
      accountId,
      id: newId(streamIds.streamFeed, now),
      created: now,
      ...query,
      lastViewed: now,
      notBefore: now,
    })
    .onConflict((on) =>
      on
        .columns(['accountId', 'credentialId', 'type', 'keyword'])
        .doUpdateSet(({ ref }) => ({ lastViewed: ref('excluded.lastViewed') })),
    )
    .returning(['id', 'notBefore'])
    .executeTakeFirstOrThrow()
  await scheduleFetch(context, id, notBefore)
  return id
}

/** Enqueues one fetch of the feed at the next allowed time. */
export const scheduleFetch = (context: Context, feedId: string, notBefore: Date) =>
  enqueue(
    context,
    fetchFeed,
    { accountId: context.accountId, feedId },
    { key: feedId, due: notBefore > context.now ? notBefore : context.now },
  )

/** Locks existing feeds until commit, ordered by id. */
export const holdFeeds = ({ db, accountId }: Context, ids: readonly string[]) =>
  db
    .selectFrom('streamFeeds')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .orderBy('id')
    .modifyEnd(lockRows('streamFeeds', 'update'))
    .execute()

/** Deletes feeds without streams, with their items. */
export async function removeUnusedFeeds({ db, accountId }: Context, ids: readonly string[]) {
  await db
    .deleteFrom('streamFeeds')
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .where(sql<boolean>`not exists (
      select from streams s where s.account_id = ${accountId} and s.feed_id = stream_feeds.id)`)
    .execute()
}

/** Why a network returned nothing, and when to retry. */
export interface FetchFailure {
  /** For viewers of the stream: what happened, and what to do or wait for. */
  error: string
  until: Date
  /** Who has to wait: this feed, the whole profile, or all profiles of the network. */
  scope: 'feed' | 'profile' | 'network'
}

interface Circumstances {
  network: string
  /** Previous consecutive failures. */
  failures: number
  now: Date
  /** Usual interval in milliseconds. */
  every: number
  publicUrl: string
}

const minute = 60_000
const longestDelay = 30 * minute
/** Maximum wait accepted from a network. */
const longestThrottle = 24 * 60 * minute

export function failureOf(error: unknown, circumstances: Circumstances): FetchFailure {
  const { network, failures, now, every, publicUrl } = circumstances
  const after = (wait: number) => new Date(now.getTime() + wait)
  const backoff = Math.max(every, Math.min(every * 2 ** Math.min(failures, 10), longestDelay))
  const failure = (sentence: string, wait: number): FetchFailure => ({
    error: sentence,
    until: after(wait),
    scope: 'feed',
  })

  if (error instanceof SkippedRow) return failure(error.message, longestDelay)
  if (error instanceof Refusal) return failure(`${error.message} Ask whoever operates this installation.`, longestDelay)
  if (!(error instanceof NetworkError))
    return failure(`The answer of ${network} could not be read. It is asked again by itself.`, longestDelay)
  const { fault } = error
  const networkMessage = sentenceOf(error.message)
  switch (fault.kind) {
    case 'throttled': {
      const wait = Math.min(Math.max(fault.until.getTime() - now.getTime(), every), longestThrottle)
      return throttledFailure(
        network,
        after(wait),
        fault.scope === 'app' ? 'network' : fault.scope === 'actor' ? 'profile' : 'feed',
      )
    }
    case 'token':
      // Invalid profiles aren't queried again anyway.
      return failure(`${networkMessage} ${connectAgain(publicUrl, network)}`, every)
    case 'permanent':
      return failure(`${networkMessage} ${remedies[fault.why](publicUrl, network)}`, longestDelay)
    case 'retryable':
      return failure(`${networkMessage} It is asked again by itself.`, Math.max(fault.afterMs ?? 0, backoff))
    default:
      return failure(`${networkMessage} It is asked again by itself.`, backoff)
  }
}

/** A throttled network. */
export const throttledFailure = (network: string, until: Date, scope: FetchFailure['scope']): FetchFailure => ({
  error: `${network} lets us ask for no more until ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC. The stream goes on by itself then.`,
  until,
  scope,
})

export const connectAgain = (publicUrl: string, network: string) =>
  `An admin can connect the profile again at ${publicUrl}/app/connect/${network}.`

const recreateStream = () => 'Delete the stream and make it again with something else.'

const remedies: { readonly [why in PermanentReason]: (publicUrl: string, network: string) => string } = {
  input: recreateStream,
  gone: recreateStream,
  unsupported: recreateStream,
  permission: connectAgain,
  policy: connectAgain,
  config: () => 'Ask whoever operates this installation.',
}

const maximumReasonLength = 500

/** Network messages are untrusted text. */
function sentenceOf(message: string): string {
  const networkMessage = cleanText(message).slice(0, maximumReasonLength).toWellFormed().trim()
  return /[.!?…]$/.test(networkMessage) ? networkMessage : `${networkMessage}.`
}
