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
  const settled = await standingOf(context, posts)
  const changes = posts.flatMap((post) => {
    const status = settled.get(post.id)
    return status && status !== post.status ? [{ ...post, status }] : []
  })
  if (changes.length === 0) return
  const { rows } = await sql<PostRow>`
    update posts p set status = s.status, modified = ${now},
      sent = case when s.status in ('complete', 'incomplete') then coalesce(p.sent, ${now}) else p.sent end
    from unnest(${changes.map(({ id }) => id)}::text[], ${changes.map(({ status }) => status)}::text[]) as s (id, status)
    where p.account_id = ${accountId} and p.id = s.id returning p.*`.execute(db)
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

/** The status of each post that nothing more happens to. */
async function standingOf({ db, accountId }: Context, posts: readonly PostRow[]) {
  const { rows } = await sql<{ postId: string; sent: number; all: number }>`
    select content_id as post_id, count(*) filter (where state = 'sent')::int as sent, count(*)::int as all from sends
    where account_id = ${accountId} and content_id = any (${posts.map(({ id }) => id)}) and kind = 'post'
    group by content_id having bool_and(state in ('sent', 'failed', 'unconfirmed'))`.execute(db)
  return new Map(
    rows.map(({ postId, sent, all }) => [
      postId,
      sent === all ? ('complete' as const) : sent > 0 ? ('incomplete' as const) : ('error' as const),
    ]),
  )
}

/** Holds posts and everything that is to happen to them, always in the same order. */
export const lockPosts = ({ db, accountId }: Context, ids: readonly string[]): Promise<PostRow[]> =>
  db
    .selectFrom('posts')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .modifyEnd(heldRows('posts', 'no key update'))
    .execute()

/** Nothing when it is gone. */
export const lockPost = async (context: Context, id: string): Promise<PostRow | undefined> =>
  (await lockPosts(context, [id]))[0]
