import { type Selectable, sql } from 'kysely'
import { dimensionCounters, profilePost } from '#areas/counters/counter.ts'
import { type Increment, incrementCounters } from '#areas/counters/increments.ts'
import { postStats, requirePost } from '#areas/publishing/post/post.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { PostMetrics } from '#kernel/database/tables.ts'
import type { Metrics } from '#networks/connector/connector.ts'
import { firstReading, missingFor, nextReading } from './profile-metrics.ts'

type PostMetricsRow = Selectable<PostMetrics>

/** Result for a post on a profile: its metrics, an error, or that the network doesn't know it. */
export interface Reading {
  postId: string
  numbers?: Metrics | undefined
  error?: string | undefined
}

/** Metrics with counters; networks call a reshare a share, which here is a share by an advocate. */
export const counted = ['likes', 'comments', 'reshares', 'impressions'] as const
type Counted = (typeof counted)[number]
export type Gains = { readonly [name in Counted]: number }
type CountedPost = Pick<PostMetricsRow, 'campaignId' | 'messageId' | 'postId' | 'credentialId'> & PostOrigin
interface PostOrigin {
  network: string
  author: string
}
type LockedPost = PostMetricsRow & PostOrigin

/** Network-specific metrics that aren't summed up across networks. */
const others = ['views', 'reach', 'clicks', 'saves'] as const

/**
 * Stores metrics of posts and counts the differences: rows, history and counters in one transaction, compared with locked rows, so
 * that nothing is counted twice.
 */
export async function storeReadings(context: Context, credentialId: string, readings: readonly Reading[]) {
  const { accountId, now } = context
  const byPost = new Map(readings.map((reading) => [reading.postId, reading]))
  const known = await lockPosts(context, credentialId, [...byPost.keys()])
  const changes = known.map((row) => changeOf(row, byPost.get(row.postId) as Reading, now))
  await writeRows(context, credentialId, changes)
  const grown = changes.filter(({ gains }) => counted.some((name) => gains[name] !== 0))
  await writeHistory(context, credentialId, grown)
  await incrementCounters(
    context,
    grown.flatMap(({ row, gains }) => incrementsOf(accountId, row, gains, now)),
  )
}

const lockPosts = ({ db, accountId }: Context, credentialId: string, postIds: readonly string[]) =>
  db
    .selectFrom('postMetrics')
    .selectAll()
    .select([
      sql<string>`coalesce((select c.network from credentials c where c.account_id = ${accountId} and c.id = ${credentialId}), '')`.as(
        'network',
      ),
      sql<string>`coalesce((select p.created_by from posts p where p.account_id = ${accountId} and p.id = post_metrics.post_id), '')`.as(
        'author',
      ),
    ])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where(sql<boolean>`post_id = any (${postIds})`)
    .orderBy('postId')
    .modifyEnd(lockRows('postMetrics', 'no key update'))
    .execute()

interface Change {
  row: LockedPost
  gains: Gains
}

/** A row after a reading. Values the network no longer reports stay unchanged. */
function changeOf(before: LockedPost, { numbers, error = '' }: Reading, now: Date): Change {
  const next = nextReading(before.published, now)
  if (!numbers) {
    const missingSince = error ? before.missingSince : (before.missingSince ?? now)
    const isGone = missingSince !== null && now.getTime() - missingSince.getTime() >= missingFor
    return { row: { ...before, missingSince, error, due: isGone ? null : next }, gains: nothing }
  }
  const { shares: reshares, ...rest } = numbers
  const reported = { ...rest, reshares }
  const values = Object.fromEntries(counted.map((name) => [name, reported[name] ?? before[name]]))
  const known = Object.fromEntries(
    others.flatMap((name) => (reported[name] === undefined ? [] : [[name, reported[name]]])),
  )
  const row: LockedPost = {
    ...before,
    ...values,
    others: { ...(before.others as object), ...known },
    due: next,
    lastRead: now,
    missingSince: null,
    error: '',
  }
  const gains = Object.fromEntries(counted.map((name) => [name, (row[name] ?? 0) - (before[name] ?? 0)]))
  return { row, gains: gains as Gains }
}

const nothing: Gains = { likes: 0, comments: 0, reshares: 0, impressions: 0 }

async function writeRows({ db, accountId }: Context, credentialId: string, changes: readonly Change[]) {
  if (changes.length === 0) return
  const column = <Value>(read: (row: PostMetricsRow) => Value) => changes.map(({ row }) => read(row))
  const writing = sql`
    update post_metrics m set due = r.due, last_read = r.last_read, missing_since = r.missing_since, error = r.error, likes = r.likes,
      comments = r.comments, reshares = r.reshares, impressions = r.impressions, others = r.others
    from unnest(${column(({ postId }) => postId)}::text[], ${column(({ due }) => due)}::timestamptz[],
      ${column(({ lastRead }) => lastRead)}::timestamptz[], ${column(({ missingSince }) => missingSince)}::timestamptz[],
      ${column(({ error }) => error.slice(0, 500))}::text[], ${column(({ likes }) => likes)}::bigint[],
      ${column(({ comments }) => comments)}::bigint[], ${column(({ reshares }) => reshares)}::bigint[],
      ${column(({ impressions }) => impressions)}::bigint[], ${column((row) => JSON.stringify(row.others))}::jsonb[])
      as r (post_id, due, last_read, missing_since, error, likes, comments, reshares, impressions, others)
    where m.account_id = ${accountId} and m.credential_id = ${credentialId} and m.post_id = r.post_id`
  await later(db, writing)
}

async function writeHistory({ db, accountId, now }: Context, credentialId: string, grown: readonly Change[]) {
  if (grown.length === 0) return
  const column = (name: Counted) => sql`${grown.map(({ gains }) => gains[name])}::bigint[]`
  const writing = sql`
    insert into post_metrics_history as h (account_id, post_id, credential_id, at, likes, comments, reshares, impressions)
    select ${accountId}, g.post_id, ${credentialId}, ${now}, g.likes, g.comments, g.reshares, g.impressions
    from unnest(${grown.map(({ row }) => row.postId)}::text[], ${column('likes')}, ${column('comments')}, ${column('reshares')},
      ${column('impressions')}) as g (post_id, likes, comments, reshares, impressions)
    on conflict (account_id, post_id, credential_id, at) do update set likes = h.likes + excluded.likes,
      comments = h.comments + excluded.comments, reshares = h.reshares + excluded.reshares, impressions = h.impressions + excluded.impressions
    returning post_id`
  await later(db, writing)
}

/** Increments of gains. */
const incrementsOf = (account: string, post: CountedPost, gains: Gains, at: Date): Increment[] =>
  counted.map((name) => ({
    name,
    at,
    amount: gains[name],
    of: {
      ...dimensionCounters(account, {
        campaign: post.campaignId,
        network: post.network,
        author: post.author,
        profile: post.credentialId,
      }),
      message: post.messageId,
      post: post.postId,
      'profile-post': profilePost(post.postId, post.credentialId),
    },
  }))

interface Published {
  postId: string
  credentialId: string
  campaignId: string
  messageId: string
  remoteId: string
  at: string
}

/** Schedules reading of published posts; a post published again under another id keeps its values. */
export async function readPublished({ db, accountId }: Context, events: readonly Emitted<Published>[]) {
  const posts = events.map(({ data }) => data)
  const times = posts.map(({ at }) => new Date(at))
  const adding = sql`
    insert into post_metrics (account_id, post_id, credential_id, campaign_id, message_id, remote_id, published, due)
    select ${accountId}, e.* from unnest(${posts.map(({ postId }) => postId)}::text[],
      ${posts.map(({ credentialId }) => credentialId)}::text[], ${posts.map(({ campaignId }) => campaignId)}::text[],
      ${posts.map(({ messageId }) => messageId)}::text[], ${posts.map(({ remoteId }) => remoteId)}::text[],
      ${times}::timestamptz[], ${times.map(firstReading)}::timestamptz[]) as e
    on conflict (account_id, post_id, credential_id) do update
      set remote_id = excluded.remote_id, published = excluded.published, due = excluded.due, missing_since = null, error = ''
    returning post_id`
  await later(db, adding)
}

/** Metrics of a post, with network-specific counters. */
export async function analyticsOf(context: Context, { id }: { id: string }) {
  const post = await requirePost(context, id)
  return { stats: { ...postStats(post), engagementsNetworkSpecific: await specificOf(context, id) } }
}

/** Sum over all profiles. */
async function specificOf({ db, accountId }: Context, postId: string) {
  const { rows } = await sql<{ name: string; value: number }>`
    select o.key as name, sum(o.value::bigint)::bigint as value from post_metrics m cross join lateral jsonb_each_text(m.others) o
    where m.account_id = ${accountId} and m.post_id = ${postId} group by o.key order by o.key`.execute(db)
  return Object.fromEntries(rows.map(({ name, value }) => [wireNames[name] ?? name, value]))
}

/** Clicks as counted by the network, on any part of the post. */
const wireNames: { readonly [name: string]: string } = {
  views: 'Views',
  reach: 'Reach',
  clicks: 'Clicks',
  saves: 'Saves',
}
