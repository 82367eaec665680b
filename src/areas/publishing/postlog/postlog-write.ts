import { type Selectable, sql } from 'kysely'
import { emitAllInner } from '#areas/events/event.ts'
import type { Fact } from '#areas/figures/add-facts.ts'
import { placed } from '#areas/figures/figure.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import type { Postlogs } from '#kernel/database/tables.ts'
import { newId } from '#kernel/ids.ts'
import { publishingIds } from '../declarations.ts'
import { notifyPostsChanged, type PostRow } from '../post/post.ts'

export type PostlogRow = Selectable<Postlogs>

type Found = Pick<PostlogRow, 'isUnconfirmed' | 'remoteId' | 'remoteUrl' | 'error' | 'publishedDate'>

export type PostlogEntry = { post: PostRow } & Pick<PostlogRow, 'credentialId' | 'status'> & Partial<Found>

const nothing: Found = { isUnconfirmed: false, remoteId: '', remoteUrl: '', error: '', publishedDate: null }

/** Upserts the results of posts on profiles. Returns the counter increments, for the caller to write last. */
export async function writePostlogs(context: Context, entries: readonly PostlogEntry[]): Promise<Fact[]> {
  if (entries.length === 0) return []
  const { db, accountId, now } = context
  const posts = entries.map(({ post }) => post)
  notifyPostsChanged(context, posts)
  const found = entries.map((entry) => ({ ...nothing, ...entry }))
  const facts = await postFacts(context, found)
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
  await emitAllInner(context, 'postPublished', published.map(publishedIn(now)))
  return facts
}

const publishedIn =
  (now: Date) =>
  ({ post, credentialId, remoteId, publishedDate }: PostlogEntry & Found) => {
    const { id: postId, campaignId, messageId } = post
    return { postId, credentialId, campaignId, messageId, remoteId, at: (publishedDate ?? now).toISOString() }
  }

/** The increments for sent and failed posts, with the previous ones reversed; postlog.recount.ts is the same in SQL. */
async function postFacts(context: Context, entries: readonly (PostlogEntry & Found)[]): Promise<Fact[]> {
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
    const of = placed(accountId, { campaign: last?.campaignId ?? post.campaignId, network, author, profile })
    const fact = { name: figureOf[status], at: publishedDate ?? now, of }
    if (!last) return [fact]
    return [{ name: figureOf[last.status], at: last.publishedDate ?? last.modified, of, amount: -1 }, fact]
  })
}

const figureOf = { success: 'postsSent', failed: 'postsFailed' } as const

export const writePostlog = (context: Context, post: PostRow, entry: Omit<PostlogEntry, 'post'>) =>
  writePostlogs(context, [{ post, ...entry }])
