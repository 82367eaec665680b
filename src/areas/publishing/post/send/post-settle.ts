import { sql } from 'kysely'
import { releaseAllMedia } from '#areas/media/asset/media-hold.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { announcePosts } from '../post.events.ts'
import { postsChanged } from '../post-count.ts'
import { isSent, type PostRow } from '../post-row.ts'

/** Sees whether all profiles of posts, which the caller holds, are through, and says so; tells webhooks once, when one is out. */
export async function settlePosts(context: Context, posts: readonly PostRow[]) {
  const { db, accountId, now } = context
  const { rows } = await sql<PostRow>`
    with through as (
      select content_id as id, case when bool_and(state = 'sent') then 'complete' when bool_or(state = 'sent') then 'incomplete' else 'error' end as status
      from sends where account_id = ${accountId} and content_id = any (${posts.map(({ id }) => id)}) and kind = 'post'
      group by content_id having bool_and(state in ('sent', 'failed', 'unconfirmed')))
    update posts p set status = through.status, modified = ${now},
      sent = case when through.status in ('complete', 'incomplete') then coalesce(p.sent, ${now}) else p.sent end
    from through where p.account_id = ${accountId} and p.id = through.id and p.status <> through.status returning p.*`.execute(
    db,
  )
  if (rows.length === 0) return
  const before = new Map(posts.map((post) => [post.id, post]))
  await releaseAllMedia(
    context,
    rows.map(({ id }) => id),
  )
  const news = rows.filter(({ id, status }) => isSent(status) && before.get(id)?.sent === null)
  await announcePosts(context, 'postSent', news)
  // Last: others who count the same campaigns wait until this is committed.
  await postsChanged(
    context,
    rows.flatMap(({ id }) => before.get(id) ?? []),
    rows,
  )
}

export const settlePost = (context: Context, post: PostRow) => settlePosts(context, [post])

/** Holds posts and everything that is to happen to them, always in the same order. */
export const lockPosts = ({ db, accountId }: Context, ids: readonly string[]): Promise<PostRow[]> =>
  db
    .selectFrom('posts')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .orderBy('id')
    .modifyEnd(heldRows('posts', 'no key update'))
    .execute()

/** Nothing when it is gone. */
export const lockPost = async (context: Context, id: string): Promise<PostRow | undefined> =>
  (await lockPosts(context, [id]))[0]
