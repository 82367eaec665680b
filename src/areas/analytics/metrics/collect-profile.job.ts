import { sql } from 'kysely'
import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { throttledUntil } from '#areas/sending/profile-partitions.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { forEachAccount, type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Log } from '#kernel/log.ts'
import { SkippedRow, skipRow } from '#kernel/skipped-rows.ts'
import { type Actor, type Connector, type Metrics, NetworkError } from '#networks/connector/connector.ts'
import { connectedNetworks, manifestOf } from '#networks/manifests.ts'
import { type Reading, storeReadings } from './post-metrics.ts'
import {
  afterFailures,
  afterThrottling,
  type CollectionTurn,
  type Ending,
  endTurn,
  pause,
  storeFollowers,
  takeTurn,
} from './profile-metrics.ts'

interface ProfileRef {
  accountId: string
  credentialId: string
}

const collectProfile = { name: 'analytics.collect-profile', queue: 'numbers' } as const

/** Reads metrics of one profile and its due posts. The next times are stored with the profile and its posts. */
export const collectProfileJob = (installation: ProfileInstallation): Job<ProfileRef> =>
  job(collectProfile.name, {
    ...collectProfile,
    timeout: 300_000,
    async run(context, { accountId, credentialId }) {
      const slot = await context.transaction(accountId, (inside) => takeTurn(inside, credentialId))
      if (!slot) return
      const ending = await collect(installation, context, { accountId, credentialId }, slot)
      await context.complete(accountId, (inside) => endTurn(inside, credentialId, slot, ending))
    },
  })

async function collect(
  installation: ProfileInstallation,
  { transaction, signal, log }: JobContext,
  { accountId, credentialId }: ProfileRef,
  slot: CollectionTurn,
): Promise<Ending> {
  const { database, clock } = installation
  const profile = { accountId, id: credentialId }
  try {
    const throttled = await throttledUntil(
      database.forAccount(accountId),
      { ...profile, network: slot.network },
      clock.now(),
    )
    if (throttled) return { notBefore: afterThrottling(throttled, clock.now()), failures: slot.failures, error: '' }
    const collection = openCollection(slot, signal, {
      followers: (count) => transaction(accountId, (inside) => storeFollowers(inside, credentialId, count)),
      readings: (readings) => transaction(accountId, (inside) => storeReadings(inside, credentialId, readings)),
    })
    await withProfile(installation, profile, collection)
    return { notBefore: new Date(clock.now().getTime() + pause), failures: 0, error: '' }
  } catch (error) {
    return endingAfter(error, profile, slot, clock.now(), log)
  }
}

/** A failing profile waits for its next turn without affecting others. */
function endingAfter(
  error: unknown,
  profile: { accountId: string; id: string },
  { failures }: CollectionTurn,
  now: Date,
  log: Log,
): Ending {
  const message = (error as Error).message
  if (error instanceof SkippedRow) skipRow(log, error, error)
  else if (!(error instanceof NetworkError) && !(error instanceof Refusal))
    log.error({ account: profile.accountId, profile: profile.id, err: error }, 'reading numbers failed')
  if (error instanceof NetworkError && error.fault.kind === 'throttled') {
    const { until, scope } = error.fault
    // Being throttled isn't a failure.
    return { notBefore: afterThrottling(until, now), failures, error: message, forAll: scope === 'app' }
  }
  return { notBefore: afterFailures(failures + 1, now), failures: failures + 1, error: message }
}

interface ResultStore {
  followers(count: number | undefined): Promise<unknown>
  readings(readings: readonly Reading[]): Promise<unknown>
}

/**
 * Queries a profile and its posts in batches, and stores each result before the next request, so that throttling loses little.
 * Called again with a new token, it continues.
 */
function openCollection(slot: CollectionTurn, signal: AbortSignal, store: ResultStore) {
  let wantsFollowers = slot.followers
  let left = slot.posts
  return async (connector: Connector, actor: Actor) => {
    if (wantsFollowers) await store.followers(await followersOf(connector, actor))
    wantsFollowers = false
    const atOnce = manifestOf(actor.network).metricsBatchSize
    while (left.length > 0 && !signal.aborted) {
      await store.readings(await readingsOf(connector, actor, left.slice(0, atOnce)))
      left = left.slice(atOnce)
    }
  }
}

/** Followers may be unavailable while metrics of posts are available. */
async function followersOf(connector: Connector, actor: Actor): Promise<number | undefined> {
  try {
    return counted((await connector.profile(actor)).followers)
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

/** If some posts are permanently rejected, the others are queried without them. */
async function readingsOf(connector: Connector, actor: Actor, posts: CollectionTurn['posts']): Promise<Reading[]> {
  try {
    const reported = await connector.metrics(
      actor,
      posts.map(({ remoteId }) => remoteId),
    )
    return posts.map(({ postId, remoteId }) => ({ postId, numbers: cleaned(reported.get(remoteId)) }))
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (posts.length === 1) return posts.map(({ postId }) => ({ postId, error: error.message }))
    const half = Math.ceil(posts.length / 2)
    return [
      ...(await readingsOf(connector, actor, posts.slice(0, half))),
      ...(await readingsOf(connector, actor, posts.slice(half))),
    ]
  }
}

/** Problems of the app or of the profile's permissions affect all posts. */
const isRefusal = (error: unknown): error is NetworkError =>
  error instanceof NetworkError &&
  error.fault.kind === 'permanent' &&
  error.fault.why !== 'permission' &&
  error.fault.why !== 'config'

/** Metrics as stored; invalid counts are treated as missing. */
function cleaned(numbers: Metrics | undefined): Metrics | undefined {
  if (!numbers) return undefined
  const counts = Object.entries(numbers).map(([name, value]) => [name, counted(value)])
  return Object.fromEntries(counts.filter(([, value]) => value !== undefined))
}

const counted = (value: number | undefined) =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined

export const planCollection = { name: 'analytics.plan-collection', queue: 'housekeeping' } as const

/** Finds due and new profiles. */
export const planCollectionJob = ({ networks }: ProfileInstallation): Job<Record<string, never>> =>
  job(planCollection.name, {
    ...planCollection,
    timeout: 600_000,
    run: (context) =>
      forEachAccount(context, (accountId) => {
        const available = connectedNetworks.filter((network) => networks.connector(network))
        return context.transaction(accountId, (inside) => plan(inside, available))
      }),
  })

async function plan(context: Context, networks: readonly string[]) {
  if (networks.length === 0) return
  await addProfiles(context, networks)
  const { db, accountId, now } = context
  const { rows } = await sql<{ credentialId: string }>`
    select p.credential_id from profile_metrics p
    join credentials c on c.account_id = ${accountId} and c.id = p.credential_id
    where p.account_id = ${accountId} and p.not_before <= ${now} and p.network = any (${networks})
      and c.deleted is null and c.status = 'valid'
      and (p.followers_due <= ${now} or (select m.due from post_metrics m where m.account_id = ${accountId}
        and m.credential_id = p.credential_id and m.due is not null order by m.due limit 1) <= ${now})
    order by p.not_before, p.credential_id limit ${profilesPerRun}`.execute(db)
  for (const { credentialId } of rows) await enqueueCollection(context, credentialId)
}

const enqueueCollection = (context: Context, credentialId: string) =>
  enqueue(context, collectProfile, { accountId: context.accountId, credentialId }, { key: credentialId })

const profilesPerRun = 500

/** Advocates' own profiles aren't counted. */
async function addProfiles({ db, accountId, now }: Context, networks: readonly string[]) {
  await sql`
    insert into profile_metrics (account_id, credential_id, network, created, not_before, followers_due)
    select ${accountId}, c.id, c.network, ${now}, ${now}, ${now} from credentials c
    where c.account_id = ${accountId} and c.deleted is null and c.status = 'valid' and not c.board_only and c.network = any (${networks})
      and not exists (select from profile_metrics p where p.account_id = ${accountId} and p.credential_id = c.id)
    on conflict (account_id, credential_id) do nothing
    returning credential_id`.execute(db)
}
