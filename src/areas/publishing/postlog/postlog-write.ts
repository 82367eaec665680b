import { type Selectable, sql } from 'kysely'
import { emitAll } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import type { Postlogs } from '#kernel/database/tables.ts'
import { newId } from '#kernel/ids.ts'
import { hintPosts } from '../post/post-hints.ts'
import type { PostRow } from '../post/post-row.ts'

export type PostlogRow = Selectable<Postlogs>

type Found = Pick<PostlogRow, 'isUnconfirmed' | 'remoteId' | 'remoteUrl' | 'error' | 'publishedDate'>

export type PostlogEntry = { post: PostRow } & Pick<PostlogRow, 'credentialId' | 'status'> & Partial<Found>

const nothing: Found = { isUnconfirmed: false, remoteId: '', remoteUrl: '', error: '', publishedDate: null }

/** Writes down what became of posts on profiles; what was known before gives way. */
export async function writePostlogs(context: Context, entries: readonly PostlogEntry[]) {
  if (entries.length === 0) return
  const { db, accountId, now } = context
  const posts = entries.map(({ post }) => post)
  hintPosts(context, posts)
  const found = entries.map((entry) => ({ ...nothing, ...entry }))
  const writing = sql`
    insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, network, credential_id, status,
      is_unconfirmed, remote_id, remote_url, error, published_date)
    select ${accountId}, e.id, ${now}, ${now}, e.post_id, e.campaign_id, e.message_id, e.network, e.credential_id, e.status,
      e.is_unconfirmed, e.remote_id, e.remote_url, e.error, e.published_date
    from unnest(${entries.map(() => newId('postlog', now))}::text[], ${posts.map(({ id }) => id)}::text[],
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
  await emitAll(context, 'postPublished', published.map(publishedIn(now)))
}

const publishedIn =
  (now: Date) =>
  ({ post, credentialId, remoteId, publishedDate }: PostlogEntry & Found) => {
    const { id: postId, campaignId, messageId } = post
    return { postId, credentialId, campaignId, messageId, remoteId, at: (publishedDate ?? now).toISOString() }
  }

export const writePostlog = (context: Context, post: PostRow, entry: Omit<PostlogEntry, 'post'>) =>
  writePostlogs(context, [{ post, ...entry }])
