import { sql } from 'kysely'
import { figuresOnProfile } from '#areas/figures/figure.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { invalid, missing } from '#kernel/errors.ts'
import type { PostName } from '#networks/connector/draft.ts'
import { countedPosts, notifyPostsChanged, profileStats, visiblePosts } from '../post/post.ts'

export async function get(context: Context, { id, stats = false }: { id: string; stats?: boolean | undefined }) {
  const { db, accountId } = context
  const row = await db
    .selectFrom('postlogs')
    .selectAll()
    .select(linksOf(accountId).as('linkIds'))
    .select(figuresOnProfile(context, 'postlogs.post_id', 'postlogs.credential_id'))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  const post = row && (await countedPosts(context).where('id', '=', row.postId).executeTakeFirst())
  if (!post) throw missing('Postlog')
  const { figures, ...postlog } = row
  return { postlog: shown(postlog), stats: stats ? profileStats(post, figures) : undefined }
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
    order by coalesce(published_date, modified) desc limit ${atOnce}`.execute(db)
  return rows.map(({ remoteId }) => remoteId)
}

const atOnce = 20

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
