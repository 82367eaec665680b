import { randomInt } from 'node:crypto'
import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Budgets } from '#areas/profiles/budget/budgets.ts'
import { namesSince, renamePosts } from '#areas/publishing/post/postlog.ts'
import { throttledUntil } from '#areas/sending/profile-partitions.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import type { Activity, Actor, Connector } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import type { Network } from '#networks/manifests.ts'
import { holdItems, notifyItemChanged } from '../item/item.ts'
import { postsOf } from './batch.ts'
import { receivedOf } from './received.ts'
import { enqueuePoll, type OfProfile, pollProfile, recordActivities } from './record-activities.ts'

export interface PollInstallation extends ProfileInstallation {
  /** Milliseconds between polls; undefined if polling is disabled. */
  pollEvery: number | undefined
}

/** Polls one profile for new activities and schedules the next poll. */
export const pollProfileJob = ({
  pollEvery,
  budgets,
  ...installation
}: PollInstallation & { budgets: Budgets }): Job<OfProfile> =>
  job(pollProfile.name, {
    ...pollProfile,
    timeout: 120_000,
    async run(context, { accountId, credentialId }) {
      if (pollEvery === undefined) return
      const { transaction, complete, attempt } = context
      const lease = await transaction(accountId, (inside) => takePoll(inside, credentialId, attempt > 1))
      if (!lease) return
      if (lease.notBefore) {
        const { notBefore } = lease
        return complete(accountId, (inside) => enqueuePoll(inside, credentialId, notBefore))
      }
      const owner = { accountId, id: credentialId }
      const every = budgets.interval(lease.network as Network, 'inbox', { floor: pollEvery, pushes: lease.pushes })
      const result = await poll(installation, context, owner, lease, every)
      await complete(accountId, (inside) => endPoll(inside, credentialId, result))
    },
  })

interface PollLease {
  network: string
  since: Date
  failures: number
  marker: string
}

async function poll(
  installation: ProfileInstallation,
  { transaction, log }: JobContext,
  owner: { accountId: string; id: string },
  { network, since, failures, marker }: PollLease,
  pollEvery: number,
): Promise<PollResult> {
  const { database, clock } = installation
  const started = clock.now()
  // Slightly early, so that the interval includes the poll itself; a slow poll is followed by a pause.
  const next = () => later(after(started, part(pollEvery, 80, 90)), after(clock.now(), pollEvery / 5))
  try {
    const held = await throttledUntil(database.forAccount(owner.accountId), { ...owner, network }, clock.now())
    if (held) return { next: later(held, next()), failures, error: '' }
    const fetched = await withProfile(installation, owner, async (connector, actor) => {
      const as = <Result>(work: (context: Context) => Promise<Result>) => transaction(owner.accountId, work)
      await fetchRemoteIds({ connector, actor, now: clock.now(), as }, owner.id)
      return readNewActivities({ connector, actor, since, marker, as }, owner.id)
    })
    return { polled: clock.now(), marker: fetched, next: next(), failures: 0, error: '' }
  } catch (error) {
    if (!(error instanceof NetworkError) && !(error instanceof Refusal))
      log.error({ account: owner.accountId, profile: owner.id, err: error }, 'asking a network failed')
    const why = (error as Error).message.slice(0, 500)
    const until = error instanceof NetworkError && error.fault.kind === 'throttled' ? error.fault.until : undefined
    // Being throttled isn't a failure.
    if (until) return { next: later(until, next()), failures, error: why }
    const pause = Math.min(longestPause, pollEvery * 2 ** Math.min(failures + 1, 12))
    return { next: after(clock.now(), part(pause, 90, 110)), failures: failures + 1, error: why }
  }
}

const longestPause = 3_600_000

const later = (one: Date, other: Date) => (one > other ? one : other)

const after = (moment: Date, ms: number) => new Date(moment.getTime() + ms)

/** A random share between these percentages, so that profiles don't stay in sync. */
const part = (ms: number, least: number, most: number) => Math.round((ms * randomInt(least, most + 1)) / 100)

/** Longer than a poll may take: the lease of a crashed process expires. */
const leaseMs = 180_000
/** Activities older than this before the connection aren't fetched. */
const historyMs = 7 * 24 * 3_600_000

/**
 * Takes the poll lease of a profile; if another process holds it, returns its expiry. A worker that resumes the job of a crashed
 * process gets its lease. Undefined if the profile isn't watched.
 */
async function takePoll({ db, accountId, now }: Context, credentialId: string, isResumed: boolean) {
  const taken = await db
    .updateTable('inboxProfiles')
    .set({ nextPoll: new Date(now.getTime() + leaseMs) })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .$if(!isResumed, (rows) => rows.where('nextPoll', '<=', now))
    .returning(['network', 'created', 'failures', 'marker', 'pushRenew', 'pushError'])
    .executeTakeFirst()
  if (taken) {
    const { network, created, failures, marker, pushRenew, pushError } = taken
    // The network confirmed the push subscription of this profile.
    const pushes = pushError === '' && (pushRenew === null || pushRenew > now)
    const since = new Date(created.getTime() - historyMs)
    return { network, failures, marker, pushes, since, notBefore: undefined }
  }
  const other = await db
    .selectFrom('inboxProfiles')
    .select('nextPoll as notBefore')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .executeTakeFirst()
  return other
}

/** Result of a poll. */
interface PollResult {
  /** Time of the last successful poll. */
  polled?: Date
  /** Newest item seen, for networks with markers. */
  marker?: string | undefined
  next: Date
  failures: number
  error: string
}

async function endPoll(context: Context, credentialId: string, result: PollResult) {
  const { db, accountId } = context
  const { polled, marker, next, failures, error } = result
  const ended = await db
    .updateTable('inboxProfiles')
    .set({ nextPoll: next, failures, error, ...(polled && { polled }), ...(marker !== undefined && { marker }) })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .returning('credentialId')
    .executeTakeFirst()
  if (ended) await enqueuePoll(context, credentialId, next)
}

/** Networks assign ids within minutes; posts without one after this never get one. */
const namedWithinMs = 6 * 3_600_000

interface RemoteIdRead {
  connector: Connector
  actor: Actor
  now: Date
  as<Result>(work: (context: Context) => Promise<Result>): Promise<Result>
}

/** Fetches ids of posts that had none when they were published, and attaches their earlier comments. */
async function fetchRemoteIds({ connector, actor, now, as }: RemoteIdRead, credentialId: string) {
  const { laterNames } = connector
  if (!laterNames) return
  const since = new Date(now.getTime() - namedWithinMs)
  const names = await laterNames(actor, await as((context) => namesSince(context, credentialId, since)))
  if (names.size === 0) return
  await as(async (context) => {
    await renamePosts(context, credentialId, names)
    await attachItems(
      context,
      credentialId,
      [...names.values()].map(({ remoteId }) => remoteId),
    )
  })
}

async function attachItems(context: Context, credentialId: string, postIds: readonly string[]) {
  const { db, accountId, now } = context
  const posts = await postsOf(context, credentialId, postIds)
  const found = await db
    .selectFrom('inboxItems')
    .select('id')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('postRemoteId', 'in', postIds)
    .where('postlogId', 'is', null)
    .execute()
  if (found.length === 0) return
  const ids = found.map(({ id }) => id)
  for (const { id, postRemoteId } of await holdItems(context, ids)) {
    const post = posts.get(postRemoteId)
    if (!post) continue
    const { postlogId, url: postUrl, text: postText, media } = post
    await db
      .updateTable('inboxItems')
      .set({ postlogId, postUrl, postText, postMedia: JSON.stringify(media), modified: now })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .execute()
    notifyItemChanged(context, id)
  }
}

interface InboxRead {
  connector: Connector
  actor: Actor
  /** Older activities are ignored. */
  since: Date
  /** Newest item seen by an earlier poll; empty if none. */
  marker: string
  /** Runs a step in the profile's account. */
  as<Result>(work: (context: Context) => Promise<Result>): Promise<Result>
}

/** Per poll; older activities follow with the next polls while new ones are found. */
const mostPages = 10

/**
 * Reads a profile's inbox on the network, newest first: everything after the marker, or until a page has nothing new. Returns the
 * next marker; undefined if the network has none, or if not everything was read.
 */
async function readNewActivities(
  { connector, actor, since, marker, as }: InboxRead,
  credentialId: string,
): Promise<string | undefined> {
  let cursor: string | undefined
  let newest: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const { items, cursor: next, marker: fetched } = await connector.fetchInbox(actor, cursor, marker || undefined)
    if (page === 0) newest = fetched
    const recent = items.filter(({ at }) => at >= since)
    const newCount = await as(async (context) => {
      const changed = await changedAmong(context, credentialId, recent)
      return recordActivities(context, { credentialId }, [...recent, ...changed])
    })
    // With a marker, pushed items may precede ones that weren't pushed.
    if (next === undefined || (newCount === 0 && marker === '')) return newest
    cursor = next
  }
  return undefined
}

/** Entries with a changed text or a missing author: networks push neither. */
async function changedAmong(context: Context, credentialId: string, activities: readonly Activity[]) {
  const { db, accountId, now } = context
  const received = activities.flatMap((activity) => {
    const { activity: one } = receivedOf(activity, now)
    return one && textOf.has(one.kind) ? [{ activity, one }] : []
  })
  if (received.length === 0) return []
  const entries = await db
    .selectFrom('inboxEntries')
    .select(['remoteId', 'content', 'media', 'personName'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('remoteId', '<>', '')
    .where(
      'remoteId',
      'in',
      received.map(({ one }) => one.remoteId),
    )
    .where('type', 'in', ['message', 'comment', 'reply'])
    .where('removed', 'is', null)
    .execute()
  const known = new Map(entries.map((entry) => [entry.remoteId, entry]))
  return received.flatMap(({ activity, one }): Activity[] => {
    const entry = known.get(one.remoteId)
    if (!entry) return []
    const isNamed = entry.personName !== '' || one.person.name === ''
    const isShown = one.media.length === 0 || (entry.media as string[]).length > 0
    if (entry.content === one.text && isNamed && isShown) return []
    return [{ ...activity, dedupeKey: `seen:${one.remoteId}:${now.getTime()}`, edited: now }]
  })
}

const textOf = new Set(['comment', 'reply', 'mention', 'message', 'echo'])
