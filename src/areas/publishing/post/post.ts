import { type Selectable, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { type Counters, countersOf, noCounters, withCounters } from '#areas/counters/counter.ts'
import { isFinal, isInFlight } from '#areas/sending/sendable.ts'
import { lockSends } from '#areas/sending/sends.ts'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { byAccount, type DeferredWrite, deferWrite } from '#kernel/database/deferred-writes.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Posts } from '#kernel/database/tables.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { isConnected, manifestOf } from '#networks/manifests.ts'
import { publishingChanges, publishingIds } from '../declarations.ts'

export type PostRow = Selectable<Posts>
/** With its counters, if they were selected; an unsent post has none. */
export type CountedPost = PostRow & { counters?: Partial<Counters> }
type PostStatus = PostRow['status']

/** Set by users; the other statuses are set when sends end. */
export const plannedStatuses = ['pending', 'inqueue', 'draft', 'inqueue-draft'] as const
export type PlannedStatus = (typeof plannedStatuses)[number]

/** Will be published without further action. */
export const isScheduled = (status: PostStatus) => status === 'pending' || status === 'inqueue'
export const isDraft = (status: PostStatus) => status === 'draft' || status === 'inqueue-draft'
/** Occupies a slot in the queue of each profile. */
export const isQueued = (status: PostStatus) => status === 'inqueue' || status === 'inqueue-draft'
/** Published on at least one profile. */
export const isSent = (status: PostStatus) => status === 'complete' || status === 'incomplete'

/** A draft and the status it gets when approved correspond. */
export const draftStatusOf = (status: PlannedStatus): PlannedStatus => (isQueued(status) ? 'inqueue-draft' : 'draft')
export const scheduledStatusOf = (status: PostStatus): PlannedStatus => (isQueued(status) ? 'inqueue' : 'pending')

/** A post is visible to users who can see its campaign. */
export const visiblePosts = (context: Context) =>
  context.db
    .selectFrom('posts')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where(withinTeams(context, 'posts.campaign_id'))

/** With their counters. */
export const countedPosts = (context: Context) => visiblePosts(context).select(countersOf(context, 'post', 'posts.id'))

/** Without a lock. */
export async function requirePost(context: Context, id: string): Promise<CountedPost> {
  const post = await countedPosts(context).where('id', '=', id).executeTakeFirst()
  if (!post) throw missing('Post')
  return post
}

/** Locks campaigns against pausing, archiving and deletion. Lock order: campaigns before their posts. */
export const lockCampaigns = ({ db, accountId }: Context, ids: readonly string[]) =>
  db
    .selectFrom('campaigns')
    .select(['id', 'name', 'status', 'deleted'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .modifyEnd(lockRows('campaigns', 'share'))
    .execute()

/**
 * Locks existing profiles against deletion. Lock order: profiles before posts, and with the stronger mode right away if a queue slot will be
 * taken: upgrading a shared lock later could deadlock. Profiles that advocates connected for themselves are excluded.
 */
export const lockProfiles = ({ db, accountId }: Context, ids: readonly string[], queued: boolean) =>
  db
    .selectFrom('credentials')
    .select(['id', 'network', 'displayName'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .where('deleted', 'is', null)
    .where('boardOnly', '=', false)
    .orderBy('id')
    .modifyEnd(lockRows('credentials', queued ? 'no key update' : 'share'))
    .execute()

/** Locks the profiles of posts that will be locked next. */
export async function lockProfilesOf(context: Context, posts: readonly Pick<PostRow, 'credentialIds' | 'status'>[]) {
  const ids = [...new Set(posts.flatMap(({ credentialIds }) => credentialIds))]
  const queued = posts.some(({ status }) => isQueued(status))
  if (ids.length > 0) await lockProfiles(context, ids, queued)
}

/** Locks a post for a change; refuses one that was sent or is being sent. */
export async function lockUnsentPost(context: Context, id: string): Promise<PostRow> {
  const known = await requirePost(context, id)
  await lockCampaigns(context, [known.campaignId])
  await lockProfilesOf(context, [known])
  const post = await visiblePosts(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('posts', 'update'))
    .executeTakeFirst()
  if (!post) throw missing('Post')
  if (post.campaignId !== known.campaignId)
    throw conflict('The post was moved to another campaign just now. Try again.')
  const states = await lockSends(context, [id])
  if (states.some(({ state }) => isInFlight(state)))
    throw conflict('The post is being sent at this moment. Look again in a minute to see what became of it.')
  if (states.some(({ state }) => isFinal(state)))
    throw conflict('The post has been sent already; only posts that were not can be changed.')
  return post
}

const maxProfiles = 100

export function requireActiveCampaign(campaign: { name: string; status: string; deleted: Date | null } | undefined) {
  if (!campaign || campaign.deleted) throw conflict('The campaign was deleted; nothing is published in it any more.')
  if (campaign.status === 'archived')
    throw conflict(`The campaign "${campaign.name}" is archived: make it active again before you schedule posts in it.`)
}

/** Locks profiles; refuses missing ones and those of another network. */
export async function requireProfiles(context: Context, ids: readonly string[], network: string, queued: boolean) {
  checkProfileCount(ids)
  checkProfiles(ids, await lockProfiles(context, ids, queued), network)
}

export function checkProfileCount(ids: readonly string[]) {
  if (ids.length === 0) throw invalid('credentialIds must name at least one profile.')
  if (ids.length > maxProfiles) throw invalid(`credentialIds must not name more than ${maxProfiles} profiles.`)
}

/** Refuses profiles that were not found or belong to another network. */
export function checkProfiles(
  ids: readonly string[],
  found: readonly { id: string; network: string }[],
  network: string,
) {
  for (const id of ids) {
    const profile = found.find((one) => one.id === id)
    if (!profile) throw invalid(`credentialIds names ${id.slice(0, 80)}, but there is no such profile.`)
    if (profile.network !== network)
      throw invalid(`credentialIds names ${id}, a profile on ${profile.network}, but the message is for ${network}.`)
  }
}

/** The API fields that are derived from the row. */
export const postView = (post: CountedPost) =>
  Object.assign(withCounters(post), {
    messageStatus: 'default',
    totalCount: post.credentialIds.length,
    credentials: post.credentialIds.join(','),
  })

/** Shown by the API when the network does not provide a metric. */
const notOffered = -1

/** Our own counters and the metrics last read from the network. */
export function postStats({ network, counters }: Pick<CountedPost, 'network' | 'counters'>) {
  const metrics = isConnected(network) ? manifestOf(network).postMetrics : []
  const { clicks, converts, comments, likes, reshares, impressions } = { ...noCounters, ...counters }
  return {
    linkClicks: clicks,
    conversions: converts,
    comments,
    likes,
    shares: metrics.includes('shares') ? reshares : notOffered,
    impressionsAdded: metrics.includes('impressions') ? impressions : notOffered,
  }
}

/** For one profile. No supported network provides the last three for a single post. */
export const profileStats = ({ network }: CountedPost, counters: Partial<Counters>) => ({
  ...postStats({ network, counters }),
  mediaClicksAdded: notOffered,
  detailExpandsAdded: notOffered,
  userFollowsAdded: notOffered,
})

/** Notifies browsers that show the posts or their campaigns. */
export function notifyPostsChanged({ notifyChange }: Context, posts: readonly Pick<PostRow, 'id' | 'campaignId'>[]) {
  for (const { id, campaignId } of posts)
    notifyChange({ kind: publishingChanges.post, id, parent: campaignId, scope: campaignId })
}

export const watchedPosts: PresenceKind = {
  kind: publishingChanges.post,
  reference: publishingIds.post,
  async find(context, id) {
    const post = await context.db
      .selectFrom('posts')
      .select('campaignId')
      .where('accountId', '=', context.accountId)
      .where('id', '=', id)
      .where(withinTeams(context, 'posts.campaign_id'))
      .executeTakeFirst()
    return post && { parent: post.campaignId, scope: post.campaignId }
  },
}

/** The columns by which posts are counted. */
type CountedColumns = Pick<PostRow, 'id' | 'campaignId' | 'createdBy' | 'source' | 'status'>

/** Must be called with every change of posts: keeps the counters of lists and campaigns correct and notifies browsers. */
export async function postsChanged(
  context: Context,
  before: readonly CountedColumns[],
  after: readonly CountedColumns[],
) {
  notifyPostsChanged(context, before)
  notifyPostsChanged(context, after)
  const { db, accountId } = context
  await deferWrite(db, postCounters, [
    ...before.map((post) => ({ accountId, post, by: -1 })),
    ...after.map((post) => ({ accountId, post, by: 1 })),
  ])
}

interface CountChange {
  accountId: string
  post: CountedColumns
  by: number
}

const postCounters: DeferredWrite<CountChange> = {
  order: 2,
  async write(db, items) {
    for (const [accountId, own] of byAccount(items)) await countPosts(db, accountId, netChanges(own))
  },
}

async function countPosts(db: Db, accountId: string, changes: readonly CounterChange[]) {
  if (changes.length === 0) return
  const column = <Value>(read: (change: CounterChange) => Value) => changes.map(read)
  const upsert = sql`
    insert into post_counts (account_id, campaign_id, created_by, source, status, posts)
    select ${accountId}, * from unnest(${column((one) => one.campaignId)}::text[], ${column((one) => one.createdBy)}::text[],
      ${column((one) => one.source)}::text[], ${column((one) => one.status)}::text[], ${column((one) => one.posts)}::int[])
    on conflict (account_id, campaign_id, created_by, source, status)
    do update set posts = post_counts.posts + excluded.posts
    returning 1`
  await later(db, upsert)
}

interface CounterChange extends Omit<CountedColumns, 'id'> {
  posts: number
}

/** The net change of each counter, in a fixed order. */
function netChanges(items: readonly CountChange[]): CounterChange[] {
  const changes = new Map<string, CounterChange>()
  for (const { post, by } of items) {
    const { campaignId, createdBy, source, status } = post
    const key = [campaignId, createdBy, source, status].join(' ')
    const change = changes.get(key) ?? { campaignId, createdBy, source, status, posts: 0 }
    changes.set(key, { ...change, posts: change.posts + by })
  }
  return [...changes]
    .filter(([, { posts }]) => posts !== 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, change]) => change)
}
