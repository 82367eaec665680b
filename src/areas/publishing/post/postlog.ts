import { type Selectable, sql } from 'kysely'
import { countersOnProfile, dimensionCounters, type Recount } from '#areas/counters/counter.ts'
import type { Increment } from '#areas/counters/increments.ts'
import { emitAllInner } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Postlogs } from '#kernel/database/tables.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import type { PostName } from '#networks/connector/draft.ts'
import { publishingIds } from '../declarations.ts'
import { countedPosts, notifyPostsChanged, type PostRow, profileStats, visiblePosts } from './post.ts'

export async function get(context: Context, { id, stats = false }: { id: string; stats?: boolean | undefined }) {
  const { db, accountId } = context
  const row = await db
    .selectFrom('postlogs')
    .selectAll()
    .select(linksOf(accountId).as('linkIds'))
    .select(countersOnProfile(context, 'postlogs.post_id', 'postlogs.credential_id'))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  const post = row && (await countedPosts(context).where('id', '=', row.postId).executeTakeFirst())
  if (!post) throw missing('Postlog')
  const { counters, ...postlog } = row
  return { postlog: shown(postlog), stats: stats ? profileStats(post, counters) : undefined }
}

/** The postlogs of one post. */
export async function ofPost(context: Context, postId: string) {
  const post = await visiblePosts(context).where('id', '=', postId).executeTakeFirst()
  if (!post) throw invalid(`postId names no post: "${postId.slice(0, 40)}".`)
  return { postlogs: await postlogsOf(context, [postId]) }
}

/** In the order in which the results became known. */
export async function postlogsOf({ db, accountId }: Context, postIds: readonly string[]) {
  if (postIds.length === 0) return []
  const rows = await db
    .selectFrom('postlogs')
    .selectAll()
    .select(linksOf(accountId).as('linkIds'))
    .where('accountId', '=', accountId)
    .where('postId', 'in', postIds)
    .orderBy('created')
    .orderBy('id')
    .execute()
  return rows.map(shown)
}

/** Adds the API fields that are derived from the row. */
const shown = <Row extends { linkIds: string[] }>(row: Row) => ({ ...row, linkId: row.linkIds[0] ?? '' })

/** The short links sent with the post on the profile, in order. */
const linksOf = (accountId: string) => sql<string[]>`array(
  select l.id from links l where l.account_id = ${accountId} and l.post_id = postlogs.post_id
    and l.credential_id = postlogs.credential_id and l.post_id <> '' order by l.created, l.id)`

/** The network's ids of posts published on a profile since then, latest first. */
export async function namesSince({ db, accountId }: Context, credentialId: string, since: Date): Promise<string[]> {
  const { rows } = await sql<{ remoteId: string }>`
    select remote_id from postlogs where account_id = ${accountId} and credential_id = ${credentialId} and status = 'success'
      and coalesce(published_date, modified) >= ${since} and remote_id <> ''
    order by coalesce(published_date, modified) desc limit ${maxResults}`.execute(db)
  return rows.map(({ remoteId }) => remoteId)
}

const maxResults = 20

/** Updates the network's ids and URLs of posts on a profile after the network changed them. */
export async function renamePosts(context: Context, credentialId: string, names: ReadonlyMap<string, PostName>) {
  const { db, accountId, now } = context
  for (const [known, { remoteId, remoteUrl = '' }] of names) {
    const logs = await db
      .selectFrom('postlogs')
      .select('postId')
      .where('accountId', '=', accountId)
      .where('credentialId', '=', credentialId)
      .where('remoteId', '=', known)
      .execute()
    const ids = logs.map(({ postId }) => postId)
    if (ids.length === 0) continue
    const posts = await db
      .selectFrom('posts')
      .select(['id', 'campaignId'])
      .where('accountId', '=', accountId)
      .where('id', 'in', ids)
      .orderBy('id')
      .modifyEnd(lockRows('posts', 'no key update'))
      .execute()
    await db
      .updateTable('postlogs')
      .set({ remoteId, remoteUrl, modified: now })
      .where('accountId', '=', accountId)
      .where('credentialId', '=', credentialId)
      .where('remoteId', '=', known)
      .execute()
    notifyPostsChanged(context, posts)
  }
}

export type PostlogRow = Selectable<Postlogs>

type Result = Pick<PostlogRow, 'isUnconfirmed' | 'remoteId' | 'remoteUrl' | 'error' | 'publishedDate'>

export type PostlogEntry = { post: PostRow } & Pick<PostlogRow, 'credentialId' | 'status'> & Partial<Result>

const emptyResult: Result = { isUnconfirmed: false, remoteId: '', remoteUrl: '', error: '', publishedDate: null }

/** Upserts the results of posts on profiles. Returns the counter increments, for the caller to write last. */
export async function writePostlogs(context: Context, entries: readonly PostlogEntry[]): Promise<Increment[]> {
  if (entries.length === 0) return []
  const { db, accountId, now } = context
  const posts = entries.map(({ post }) => post)
  notifyPostsChanged(context, posts)
  const found = entries.map((entry) => ({ ...emptyResult, ...entry }))
  const increments = await postIncrements(context, found)
  const writing = sql`
    insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, network, credential_id, status,
      is_unconfirmed, remote_id, remote_url, error, published_date)
    select ${accountId}, e.id, ${now}, ${now}, e.post_id, e.campaign_id, e.message_id, e.network, e.credential_id, e.status,
      e.is_unconfirmed, e.remote_id, e.remote_url, e.error, e.published_date
    from unnest(${entries.map(() => newId(publishingIds.postlog, now))}::text[], ${posts.map(({ id }) => id)}::text[],
      ${posts.map(({ campaignId }) => campaignId)}::text[], ${posts.map(({ messageId }) => messageId)}::text[],
      ${posts.map(({ network }) => network)}::text[], ${found.map(({ credentialId }) => credentialId)}::text[],
      ${found.map(({ status }) => status)}::text[], ${found.map(({ isUnconfirmed }) => isUnconfirmed)}::boolean[],
      ${found.map(({ remoteId }) => remoteId)}::text[], ${found.map(({ remoteUrl }) => remoteUrl)}::text[],
      ${found.map(({ error }) => error)}::text[], ${found.map(({ publishedDate }) => publishedDate)}::timestamptz[])
      as e (id, post_id, campaign_id, message_id, network, credential_id, status, is_unconfirmed, remote_id, remote_url, error, published_date)
    on conflict (account_id, post_id, credential_id) do update set modified = excluded.modified, status = excluded.status,
      is_unconfirmed = excluded.is_unconfirmed, remote_id = excluded.remote_id, remote_url = excluded.remote_url, error = excluded.error,
      published_date = excluded.published_date
    returning id`
  await later(db, writing)
  const published = found.filter(({ status, remoteId }) => status === 'success' && remoteId !== '')
  await emitAllInner(context, 'postPublished', published.map(publishedEvent(now)))
  return increments
}

const publishedEvent =
  (now: Date) =>
  ({ post, credentialId, remoteId, publishedDate }: PostlogEntry & Result) => {
    const { id: postId, campaignId, messageId } = post
    return { postId, credentialId, campaignId, messageId, remoteId, at: (publishedDate ?? now).toISOString() }
  }

/** The increments for sent and failed posts, with the previous ones reversed; `postlogRecount` is the same in SQL. */
async function postIncrements(context: Context, entries: readonly (PostlogEntry & Result)[]): Promise<Increment[]> {
  const { db, accountId, now } = context
  const known = await db
    .selectFrom('postlogs')
    .select(['postId', 'credentialId', 'campaignId', 'status', 'publishedDate', 'modified'])
    .where('accountId', '=', accountId)
    .where(sql<boolean>`post_id = any (${[...new Set(entries.map(({ post }) => post.id))]})`)
    .execute()
  const before = new Map(known.map((entry) => [`${entry.postId} ${entry.credentialId}`, entry]))
  return entries.flatMap(({ post, credentialId: profile, status, publishedDate }) => {
    const last = before.get(`${post.id} ${profile}`)
    const { network, createdBy: author } = post
    const of = dimensionCounters(accountId, { campaign: last?.campaignId ?? post.campaignId, network, author, profile })
    const increment = { name: counterOf[status], at: publishedDate ?? now, of }
    if (!last) return [increment]
    return [{ name: counterOf[last.status], at: last.publishedDate ?? last.modified, of, amount: -1 }, increment]
  })
}

const counterOf = { success: 'postsSent', failed: 'postsFailed' } as const

export const writePostlog = (context: Context, post: PostRow, entry: Omit<PostlogEntry, 'post'>) =>
  writePostlogs(context, [{ post, ...entry }])

/** The same increments as `postIncrements`, for each post on each profile. */
export const postlogRecount: Recount = {
  names: ['postsSent', 'postsFailed'],
  increments: (accountId, from, to) => sql`
    select case when g.status = 'success' then 'postsSent' else 'postsFailed' end as name, coalesce(g.published_date, g.modified) as at, o.kind, o.id, 1 as amount
    from postlogs g
    left join posts p on p.account_id = ${accountId} and p.id = g.post_id
    cross join lateral (values
      ('account', ${accountId}), ('campaign', g.campaign_id), ('network', g.network), ('profile', g.credential_id),
      ('author', coalesce(nullif(p.created_by, ''), '-')),
      ('cell', g.campaign_id || ' ' || g.network || ' ' || coalesce(nullif(p.created_by, ''), '-') || ' ' || g.credential_id)) o (kind, id)
    where g.account_id = ${accountId} and coalesce(g.published_date, g.modified) >= ${from} and coalesce(g.published_date, g.modified) < ${to}`,
  first: (accountId) =>
    sql`select min(coalesce(published_date, modified)) from postlogs where account_id = ${accountId}`,
}
