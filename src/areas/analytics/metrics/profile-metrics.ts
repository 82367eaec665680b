import { sql } from 'kysely'
import { recordGauges } from '#areas/counters/increments.ts'
import { get as requireCredential } from '#areas/profiles/credential/credential.ts'
import { day, minute } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'

/** Minimum interval, and delay of the first reading after publication. */
const shortest = 10 * minute
/** Up to this age a post is read at least daily, then weekly, then no more. */
const young = 30 * day
const old = 365 * day

export const firstReading = (published: Date) => after(published, shortest)

/** Next reading: after half the post's age, within limits. Null for never. */
export function nextReading(published: Date, now: Date): Date | null {
  const age = now.getTime() - published.getTime()
  if (age >= old) return null
  return after(now, age < young ? Math.min(Math.max(age / 2, shortest), day) : 7 * day)
}

/** A post missing for this long is considered deleted; new ones sometimes appear late. */
export const missingFor = 3 * day

/** Followers are read daily, each profile at its own time in the first half of the day, which leaves time for retries. */
export function nextFollowers(credentialId: string, now: Date): Date {
  const tomorrow = now.getTime() - (now.getTime() % day) + day
  return new Date(tomorrow + spread(credentialId) * minute)
}

/** One of the first 720 minutes, deterministic for a profile. */
const spread = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 720, 0)

/** Interval between two turns of a profile: due posts are batched, and rate limits are left for publishing. */
export const pause = 5 * minute
/** Longer than a turn may take: the lease of a crashed process expires. */
const turnDuration = 10 * minute

/** Next turn after consecutive failures. */
export const afterFailures = (failures: number, now: Date) =>
  after(now, Math.min(pause * 2 ** Math.min(failures, 20), day))

/** Next turn after throttling; at least daily. */
export const afterThrottling = (until: Date, now: Date) =>
  new Date(Math.min(Math.max(until.getTime(), now.getTime() + pause), now.getTime() + day))

const after = (moment: Date, wait: number) => new Date(moment.getTime() + wait)

/** Work of one turn of a profile. */
export interface CollectionTurn {
  network: string
  failures: number
  /** Whether its followers are due. */
  followers: boolean
  /** Due posts with their ids on the network. */
  posts: { postId: string; remoteId: string }[]
  /** Lease; a later value means that all profiles were throttled meanwhile. */
  until: Date
}

/** Takes the turn of a profile; undefined if another process has it, it isn't due, or it must wait. */
export async function takeTurn(
  { db, accountId, now }: Context,
  credentialId: string,
): Promise<CollectionTurn | undefined> {
  const until = new Date(now.getTime() + turnDuration)
  const taken = await db
    .updateTable('profileMetrics')
    .set({ notBefore: until })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('notBefore', '<=', now)
    .returning(['network', 'failures', 'followersDue'])
    .executeTakeFirst()
  if (!taken) return undefined
  const posts = await db
    .selectFrom('postMetrics')
    .select(['postId', 'remoteId'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    // Including posts due before the next turn.
    .where('due', '<', new Date(now.getTime() + pause))
    .orderBy('due')
    .limit(mostPosts)
    .execute()
  return { network: taken.network, failures: taken.failures, followers: taken.followersDue <= now, posts, until }
}

/** More wait for the next turn, so that other profiles aren't delayed. */
const mostPosts = 100

/** Result of a turn. */
export interface Ending {
  notBefore: Date
  failures: number
  error: string
  /** Whether all profiles of the network have to wait, because the limit is shared. */
  forAll?: boolean | undefined
}

export async function endTurn(
  context: Context,
  credentialId: string,
  { network, until }: CollectionTurn,
  ending: Ending,
) {
  const { db, accountId } = context
  const { notBefore, failures, forAll = false } = ending
  const error = ending.error.slice(0, 500)
  if (forAll) await postponeAll(context, network, notBefore, error)
  await db
    .updateTable('profileMetrics')
    .set({ notBefore, failures, error })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    // A concurrent success must not clear a wait for all profiles.
    .$if(!forAll, (own) => own.where('notBefore', '<=', until))
    .execute()
}

/** Ordered, since several may be throttled concurrently. */
async function postponeAll({ db, accountId }: Context, network: string, notBefore: Date, error: string) {
  const waiting = await db
    .selectFrom('profileMetrics')
    .select('credentialId')
    .where('accountId', '=', accountId)
    .where('network', '=', network)
    .where('notBefore', '<', notBefore)
    .orderBy('credentialId')
    .modifyEnd(lockRows('profileMetrics', 'no key update'))
    .execute()
  const ids = waiting.map((row) => row.credentialId)
  await db
    .updateTable('profileMetrics')
    .set({ notBefore, error })
    .where('accountId', '=', accountId)
    .where(sql<boolean>`credential_id = any (${ids})`)
    .execute()
}

/** Stores the followers of a profile; undefined if not reported. Due again tomorrow. */
export async function storeFollowers(context: Context, credentialId: string, followers: number | undefined) {
  const { db, accountId, now } = context
  await db
    .updateTable('profileMetrics')
    .set({ followersDue: nextFollowers(credentialId, now) })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .execute()
  if (followers === undefined) return
  await recordGauges(context, [{ name: 'followers', at: now, profile: credentialId, value: followers }])
}

interface FollowersQuery {
  id: string
  fromDate?: Date | undefined
  toDate?: Date | undefined
}

/** Days of a range with recorded followers; there are none before the profile was connected. */
export async function followersOf(context: Context, { id, toDate = context.now, fromDate }: FollowersQuery) {
  const { db, accountId } = context
  await requireCredential(context, { id })
  const from = dayOf(fromDate ?? new Date(toDate.getTime() - 29 * day))
  const to = dayOf(toDate)
  if (from > to) throw invalid('fromDate must not lie after toDate.')
  const ofProfile = (
    level: string,
  ) => sql`${sql.id(level)}.account_id = ${accountId} and ${sql.id(level)}.of_kind = 'profile'
    and ${sql.id(level)}.of_id = ${id} and ${sql.id(level)}.name = 'followers'`
  const { rows } = await sql<{ day: string; followers: number }>`
    select distinct on (day) (l.quarter at time zone 'UTC')::date::text as day, l.value as followers from gauges l
    where ${ofProfile('l')} and l.quarter < ${to}::date + interval '1 day' and l.quarter >= coalesce(
      (select max(b.quarter) from gauges b where ${ofProfile('b')} and b.quarter < ${from}::date), ${from}::date)
    order by day, l.quarter desc`.execute(db)
  const days = rows.map((row, index) => ({
    followers: row.followers,
    // Since the last known day.
    followersAdded: row.followers - (rows[index - 1]?.followers ?? row.followers),
    historyDate: new Date(`${row.day}T00:00:00Z`),
    day: row.day,
  }))
  return { data: days.filter((one) => one.day >= from) }
}

/** The database has no year zero, and there are no followers before 1970. */
const dayOf = (moment: Date) => new Date(Math.max(0, moment.getTime())).toISOString().slice(0, 10)
