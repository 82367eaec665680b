import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { PostName } from '#networks/connector/draft.ts'
import { hintPosts } from '../post/post.ts'

/** The names of posts that were published on a profile since then, the latest first. */
export async function namesSince({ db, accountId }: Context, credentialId: string, since: Date): Promise<string[]> {
  const { rows } = await sql<{ remoteId: string }>`
    select remote_id from postlogs where account_id = ${accountId} and credential_id = ${credentialId} and status = 'success'
      and coalesce(published_date, modified) >= ${since} and remote_id <> ''
    order by coalesce(published_date, modified) desc limit ${atOnce}`.execute(db)
  return rows.map(({ remoteId }) => remoteId)
}

const atOnce = 20

/** Gives posts on a profile the names that the network has for them now. */
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
      .modifyEnd(heldRows('posts', 'no key update'))
      .execute()
    await db
      .updateTable('postlogs')
      .set({ remoteId, remoteUrl, modified: now })
      .where('accountId', '=', accountId)
      .where('credentialId', '=', credentialId)
      .where('remoteId', '=', known)
      .execute()
    hintPosts(context, posts)
  }
}
