import { sql } from 'kysely'
import type { Context, Emitted } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { firstReading } from './schedule.ts'

interface Published {
  postId: string
  credentialId: string
  campaignId: string
  messageId: string
  remoteId: string
  at: string
}

/** Sees to it that the numbers of posts are read that are on profiles now; of one that is there again, under another name, those known stay. */
export async function readPublished({ db, accountId }: Context, events: readonly Emitted<Published>[]) {
  const posts = events.map(({ data }) => data)
  const moments = posts.map(({ at }) => new Date(at))
  const adding = sql`
    insert into post_metrics (account_id, post_id, credential_id, campaign_id, message_id, remote_id, published, due)
    select ${accountId}, e.* from unnest(${posts.map(({ postId }) => postId)}::text[],
      ${posts.map(({ credentialId }) => credentialId)}::text[], ${posts.map(({ campaignId }) => campaignId)}::text[],
      ${posts.map(({ messageId }) => messageId)}::text[], ${posts.map(({ remoteId }) => remoteId)}::text[],
      ${moments}::timestamptz[], ${moments.map(firstReading)}::timestamptz[]) as e
    on conflict (account_id, post_id, credential_id) do update
      set remote_id = excluded.remote_id, published = excluded.published, due = excluded.due, missing_since = null, error = ''
    returning post_id`
  await later(db, adding)
}
