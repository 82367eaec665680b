import { type Insertable, sql } from 'kysely'
import { daysFrom } from '#areas/account/account.demo.ts'
import type { Recount } from '#areas/counters/counter.ts'
import { type Gauge, leaveToRecount, recordGauges } from '#areas/counters/increments.ts'
import { beginRebuild, countFirst, hasCounters, rebuildSome } from '#areas/counters/rebuild.ts'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import type { PostMetrics, PostMetricsHistory } from '#kernel/database/tables.ts'
import { isConnected, manifestOf } from '#networks/manifests.ts'
import { type DestinationType, type Given, readDestination, secretNames } from './export/destination/destination.ts'
import { encryptSecret } from './export/export.ts'
import type { ExportType } from './export/row-sources.ts'
import { nextRun, type TimeRangeName } from './export/schedule.ts'
import { counted, type Gains } from './metrics/post-metrics.ts'
import { nextFollowers } from './metrics/profile-metrics.ts'

const allDays = 1000

/** Metrics, the counters of all demo activity, a favorite dashboard of the admin, and exports. */
export async function seedAnalytics(context: Context, recounts: readonly Recount[], admin: string) {
  const hasNewMetrics = await seedMetrics(context)
  const favorite = await context.db
    .selectFrom('dashboardFavorites')
    .select('dashboardId')
    .where('accountId', '=', context.accountId)
    .executeTakeFirst()
  if (!favorite || hasNewMetrics) await seedCounters(context, [...recounts, metricsRecount])
  if (!favorite) await seedFavorite(context, admin)
  await seedExports(context)
}

async function seedCounters(context: Context, recounts: readonly Recount[]) {
  leaveToRecount(context, new Set(recounts.flatMap(({ names }) => names)))
  if (!(await hasCounters(context, recounts))) return countFirst(context, recounts)
  // A demo of an earlier version that has been used.
  await beginRebuild(context)
  await rebuildSome(context, recounts, allDays)
}

async function seedFavorite({ db, accountId }: Context, admin: string) {
  const overview = await db
    .selectFrom('dashboards')
    .select('id')
    .where('accountId', '=', accountId)
    .where('name', '=', 'Overview')
    .executeTakeFirst()
  if (overview)
    await db.insertInto('dashboardFavorites').values({ accountId, userId: admin, dashboardId: overview.id }).execute()
}

const historyDays = 90

/** Followers of the demo profiles today, and daily growth. */
const followings: { readonly [profile: string]: { followers: number; daily: number } } = {
  '100200300400501': { followers: 12_400, daily: 14 },
  '17841400000000501': { followers: 8_300, daily: 31 },
  aDaM4demo1: { followers: 1_240, daily: 2 },
  '2414183': { followers: 23_900, daily: 42 },
  '2414184': { followers: 3_100, daily: 9 },
  '1500000000000000501': { followers: 15_800, daily: -3 },
  UCsandboxNorthwindOut501: { followers: 4_700, daily: 6 },
  '7100000000000000501': { followers: 9_900, daily: 55 },
}

/** Three months of profile and post metrics, if there are none yet; whether there were none. */
async function seedMetrics(context: Context): Promise<boolean> {
  const { db, accountId } = context
  const some = await db.selectFrom('profileMetrics').select('credentialId').where('accountId', '=', accountId).execute()
  const posts = await db.selectFrom('postMetrics').select('postId').where('accountId', '=', accountId).execute()
  if (some.length + posts.length > 0) return false
  await seedFollowers(context)
  await seedPostMetrics(context)
  return true
}

async function seedFollowers(context: Context) {
  const { db, accountId, now } = context
  const profiles = await db
    .selectFrom('credentials')
    .select(['id', 'network', 'networkAccountId'])
    .where('accountId', '=', accountId)
    .where('status', '=', 'valid')
    .execute()
  const known = profiles.flatMap((profile) => {
    const following = followings[profile.networkAccountId]
    return following ? [{ ...profile, following }] : []
  })
  if (known.length === 0) return
  await db
    .insertInto('profileMetrics')
    .values(
      known.map(({ id, network }) => ({
        accountId,
        credentialId: id,
        network,
        created: daysFrom(context)(-historyDays),
        notBefore: now,
        followersDue: nextFollowers(id, now),
      })),
    )
    .execute()
  const days = known.flatMap(({ id, following }) =>
    Array.from({ length: historyDays }, (_, ago): Gauge => {
      const of = `${id} ${ago}`
      const followers = Math.round(following.followers - following.daily * (ago + (ago > 0 ? 2 * fraction(of) : 0)))
      return { name: 'followers', at: daysFrom(context)(-ago), profile: id, value: followers }
    }),
  )
  await recordGauges(context, days)
}

/** As if read daily at first, then weekly. The networks don't know the posts, so reading doesn't continue. */
async function seedPostMetrics(context: Context) {
  const { db, accountId, now } = context
  const rows: Insertable<PostMetrics>[] = []
  const history: Insertable<PostMetricsHistory>[] = []
  for (const { network, profile, ...post } of await publishedPosts(context)) {
    const mostSeen = (followings[profile]?.followers ?? 1000) * (0.3 + fraction(post.remoteId))
    const hasImpressions = isConnected(network) && manifestOf(network).postMetrics.includes('impressions')
    let [before, lastRead] = [nothing, post.published]
    for (const age of readings) {
      const at = new Date(post.published.getTime() + age * day)
      if (at > now) break
      const reported = numbersAt(mostSeen, age)
      const counts = { ...reported, impressions: hasImpressions ? reported.impressions : 0 }
      const gains = gainsOf(before, counts)
      ;[before, lastRead] = [counts, at]
      if (Object.values(gains).every((gain) => gain === 0)) continue
      history.push({ accountId, postId: post.postId, credentialId: post.credentialId, at, ...gains })
    }
    const views = numbersAt(mostSeen, (lastRead.getTime() - post.published.getTime()) / day).impressions
    rows.push({
      ...post,
      accountId,
      ...before,
      impressions: hasImpressions ? before.impressions : null,
      lastRead,
      due: null,
      others: JSON.stringify(hasImpressions ? { reach: Math.round(views * 0.82) } : { views }),
    })
  }
  if (rows.length === 0) return
  await db.insertInto('postMetrics').values(rows).execute()
  await db.insertInto('postMetricsHistory').values(history).execute()
}

/** The counters of all metrics by their history. Only the demo has the history of everything it counts. */
const metricsRecount: Recount = {
  names: counted,
  increments: (accountId, from, to) => sql`
    select o.name, m.at, o.kind, o.id, o.amount from (
      select h.*, s.campaign_id, s.message_id, c.network, coalesce(nullif(p.created_by, ''), '-') as author
      from post_metrics_history h
      join post_metrics s on s.account_id = ${accountId} and s.post_id = h.post_id and s.credential_id = h.credential_id
      join credentials c on c.account_id = ${accountId} and c.id = h.credential_id
      left join posts p on p.account_id = ${accountId} and p.id = h.post_id
      where h.account_id = ${accountId} and h.at >= ${from} and h.at < ${to}) m
    cross join lateral (select * from (values
      ('account', ${accountId}), ('campaign', m.campaign_id), ('network', m.network), ('author', m.author), ('profile', m.credential_id),
      ('cell', m.campaign_id || ' ' || m.network || ' ' || m.author || ' ' || m.credential_id), ('message', m.message_id),
      ('post', m.post_id), ('profile-post', m.post_id || ' ' || m.credential_id)) k (kind, id)
      cross join (values ('likes', m.likes), ('comments', m.comments), ('reshares', m.reshares), ('impressions', m.impressions)) n (name, amount)) o`,
  first: (accountId) => sql`select min(at) from post_metrics_history where account_id = ${accountId}`,
}

/** Days after publication. */
const readings = [0.02, 0.1, 0.4, 1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 18, 23, 30, 37, 44, 51, 58, 65, 72, 79, 86]

const nothing: Gains = { likes: 0, comments: 0, reshares: 0, impressions: 0 }

/** Most of it within a day and a half, the rest slowly. */
function numbersAt(mostSeen: number, age: number): Gains {
  const seen = Math.round(mostSeen * (0.85 * (1 - Math.exp(-age / 1.5)) + (0.15 * Math.min(age, 90)) / 30))
  return {
    likes: Math.floor(seen * 0.03),
    comments: Math.floor(seen * 0.0016),
    reshares: Math.floor(seen * 0.006),
    impressions: seen,
  }
}

const gainsOf = (before: Gains, after: Gains): Gains => ({
  likes: after.likes - before.likes,
  comments: after.comments - before.comments,
  reshares: after.reshares - before.reshares,
  impressions: after.impressions - before.impressions,
})

const publishedPosts = ({ db, accountId }: Context) =>
  db
    .selectFrom('postlogs as g')
    .innerJoin('credentials as c', (join) =>
      join.on('c.accountId', '=', accountId).onRef('c.id', '=', 'g.credentialId'),
    )
    .innerJoin('posts as p', (join) => join.on('p.accountId', '=', accountId).onRef('p.id', '=', 'g.postId'))
    .select(['g.postId', 'g.credentialId', 'g.campaignId', 'g.messageId', 'g.remoteId', 'g.network'])
    .select(['c.networkAccountId as profile', sql<Date>`coalesce(g.published_date, g.modified)`.as('published')])
    .where('g.accountId', '=', accountId)
    .where('g.status', '=', 'success')
    .where('g.remoteId', '<>', '')
    .orderBy('g.id')
    .execute()

/** Between 0 and 1, deterministic for a text. */
const fraction = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7) / 9973

interface DemoExport {
  type: ExportType
  destinationType: DestinationType
  destination: Given
  frequency: 'daily' | 'weekly' | 'monthly'
  timeRange: TimeRangeName
  /** Only deliverable exports are active: emails stay in the outbox without a mail server. */
  status: 'active' | 'inactive'
}

const server = { host: 'files.example.com', directory: '/reports', username: 'northwind', password: 'demo' }

/** One per type of destination. */
const exports: readonly DemoExport[] = [
  {
    type: 'Posts',
    frequency: 'weekly',
    timeRange: 'last-week',
    status: 'active',
    destinationType: 'email',
    destination: { email: 'ada.marsh@example.com', firstName: 'Ada', lastName: 'Marsh' },
  },
  {
    type: 'Clicks',
    frequency: 'daily',
    timeRange: 'yesterday',
    status: 'inactive',
    destinationType: 'S3_bucket',
    destination: { bucketName: 'northwind-reports', path: 'clicks', accessKey: 'DEMO', secretKey: 'demo' },
  },
  {
    type: 'Conversions',
    frequency: 'daily',
    timeRange: 'last-30-days',
    status: 'inactive',
    destinationType: 'azure',
    destination: { accountName: 'northwind', container: 'reports', key: 'ZGVtbw==' },
  },
  {
    type: 'Campaigns',
    frequency: 'monthly',
    timeRange: 'all-time',
    status: 'inactive',
    destinationType: 'FTP',
    destination: server,
  },
  {
    type: 'Advocates',
    frequency: 'monthly',
    timeRange: 'all-time',
    status: 'inactive',
    destinationType: 'SFTP',
    destination: server,
  },
]

/** Exports, if there are none yet. */
async function seedExports({ db, accountId, now, keyring }: Context) {
  const some = await db.selectFrom('exports').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  const rows = exports.map(({ destination, destinationType, ...one }, index) => {
    const id = `032demo0000000${index + 1}`
    const schedule = { ...one, weekday: 1, monthDay: 1, hour: 6, timezone: 'Europe/Berlin' }
    const name = secretNames[destinationType]
    return {
      accountId,
      id,
      created: now,
      modified: now,
      createdBy: '00Ademo00000001',
      destinationType,
      ...schedule,
      destination: JSON.stringify(readDestination(destinationType, destination)),
      secret: name === undefined ? null : encryptSecret(keyring, { accountId, id }, destination[name] ?? ''),
      nextRun: one.status === 'active' ? nextRun(schedule, now) : null,
    }
  })
  await db.insertInto('exports').values(rows).execute()
}
