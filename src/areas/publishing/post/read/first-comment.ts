import { sql } from 'kysely'
import { shown } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import type { PostRow } from '../post-row.ts'

/** What is said under each of these posts, by the post's id. */
export async function firstCommentsOf(context: Context, posts: readonly PostRow[]) {
  const rows = await read(
    context,
    posts.map(({ id }) => id),
  )
  const images = await imagesOf(
    context,
    rows.flatMap(({ mediaId }) => mediaId ?? []),
  )
  return new Map(
    rows.map(({ postId, mediaId, ...comment }) => {
      const { network, campaignId, startDateTime: scheduledAt } = posts.find(({ id }) => id === postId) as PostRow
      const media = images.filter(({ id }) => id === mediaId)
      return [postId, { ...comment, network, campaignId, scheduledAt, media }]
    }),
  )
}

type Status = 'pending' | 'published' | 'failed'

async function read({ db, accountId }: Context, postIds: readonly string[]) {
  if (postIds.length === 0) return []
  // One by one for the few comments of a page: "exists" might read all sends of the account instead.
  const status = sql<Status>`(select case
    when bool_or(s.state not in ('sent', 'failed', 'unconfirmed')) then 'pending'
    when bool_or(s.state = 'sent') then 'published' else 'failed' end
    from sends s where s.account_id = ${accountId} and s.content_id = first_comments.post_id and s.kind = 'first-comment')`
  return db
    .selectFrom('firstComments')
    .select(['id', 'postId', 'text', 'mediaId', status.as('status')])
    .where('accountId', '=', accountId)
    .where('postId', 'in', postIds)
    .execute()
}

async function imagesOf(context: Context, ids: readonly string[]) {
  if (ids.length === 0) return []
  const rows = await context.db
    .selectFrom('media')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', 'in', ids)
    .execute()
  return rows.map((asset) => shown(context, asset))
}
