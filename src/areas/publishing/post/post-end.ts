import { sql } from 'kysely'
import { leaveApproval } from '#areas/approval/item/item.ts'
import { type Increment, incrementCounters } from '#areas/counters/increments.ts'
import { releaseAllMedia } from '#areas/media/asset/asset.ts'
import { isFinal, isInFlight, type SendState } from '#areas/sending/sendable.ts'
import { failPendingSends, lockSends, removeSends } from '#areas/sending/sends.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict } from '#kernel/errors.ts'
import { announcePosts } from './post.events.ts'
import { isSent, type PostRow, postsChanged } from './post.ts'
import { writePostlog } from './postlog.ts'

/** How a post ends: settled once all profiles are done, or withdrawn before it was sent. */

/** Sets the final status of locked posts whose sends have all ended; emits `postSent` once. */
export async function settlePosts(context: Context, posts: readonly PostRow[]) {
  const { db, accountId, now } = context
  const { rows } = await sql<Pick<PostRow, 'id' | 'status' | 'modified' | 'sent'>>`
    with finished as (
      -- Post by post: until the table is analyzed, a join is planned as if an account had a handful of sends.
      select ended.id, s.status from unnest(${posts.map(({ id }) => id)}::text[]) as ended (id) cross join lateral (
        select case when bool_and(state = 'sent') then 'complete' when bool_or(state = 'sent') then 'incomplete' else 'error' end as status
        from sends where account_id = ${accountId} and content_id = ended.id and kind = 'post'
        having bool_and(state in ('sent', 'failed', 'unconfirmed'))) s)
    update posts p set status = finished.status, modified = ${now},
      sent = case when finished.status in ('complete', 'incomplete') then coalesce(p.sent, ${now}) else p.sent end
    from finished where p.account_id = ${accountId} and p.id = finished.id and p.status <> finished.status
    returning p.id, p.status, p.modified, p.sent`.execute(db)
  if (rows.length === 0) return
  const settled = new Map(rows.map((row) => [row.id, row]))
  const before = posts.filter(({ id }) => settled.has(id))
  const after = before.map((post): PostRow => Object.assign({}, post, settled.get(post.id)))
  await releaseAllMedia(
    context,
    rows.map(({ id }) => id),
  )
  const newlySent = after.filter(({ status }, index) => isSent(status) && before[index]?.sent === null)
  await announcePosts(context, 'postSent', newlySent)
  // Last, since other transactions wait for the counters until this one commits.
  await postsChanged(context, before, after)
}

export const settlePost = (context: Context, post: PostRow) => settlePosts(context, [post])

/** In a fixed order, which prevents deadlocks. */
export const lockPosts = ({ db, accountId }: Context, ids: readonly string[]): Promise<PostRow[]> =>
  db
    .selectFrom('posts')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .orderBy('id')
    .modifyEnd(lockRows('posts', 'no key update'))
    .execute()

/** Undefined if it was deleted. */
export const lockPost = async (context: Context, id: string): Promise<PostRow | undefined> =>
  (await lockPosts(context, [id]))[0]

type Selection = { campaignId: string } | { messageId: string } | { credentialId: string }

/**
 * Withdraws all unsent posts of a campaign, message or profile that ends. Posts that no profile has received are deleted; of partly sent ones
 * the remaining sends fail with the reason. Returns the number of posts in flight, which cannot be stopped.
 */
export async function withdrawUnsent(context: Context, selection: Selection, why: string): Promise<number> {
  const posts = await lockUnsentPosts(context, selection)
  let inFlight = 0
  // PostgreSQL allows 65,535 parameters per statement.
  for (let at = 0; at < posts.length; at += 5_000)
    inFlight += await withdrawPosts(context, posts.slice(at, at + 5_000), why)
  return inFlight
}

async function withdrawPosts(context: Context, posts: readonly PostRow[], why: string): Promise<number> {
  const ids = posts.map(({ id }) => id)
  const sends = (await lockSends(context, ids)).filter(({ kind }) => kind === 'post')
  const having = (is: (state: SendState) => boolean) =>
    new Set(sends.filter(({ state }) => is(state)).map(({ contentId }) => contentId))
  const [inFlight, ended] = [having(isInFlight), having(isFinal)]
  const unsent = posts.filter(({ id }) => !inFlight.has(id) && !ended.has(id))
  await deletePosts(context, unsent)
  const increments: Increment[] = []
  for (const post of posts) {
    if (inFlight.has(post.id) || !ended.has(post.id)) continue
    for (const { contentId, credentialId, state } of sends)
      if (contentId === post.id && !isFinal(state))
        increments.push(...(await failOnProfile(context, post, credentialId, why)))
    await settlePost(context, post)
  }
  await incrementCounters(context, increments)
  return inFlight.size
}

/** Deletes a locked post that no profile has received. */
export const deletePost = (context: Context, post: PostRow) => deletePosts(context, [post])

async function deletePosts(context: Context, posts: readonly PostRow[]) {
  if (posts.length === 0) return
  const { db, accountId } = context
  const ids = posts.map(({ id }) => id)
  await announcePosts(context, 'postDeleted', posts)
  await releaseAllMedia(context, ids)
  await leaveApproval(context, ids)
  await removeSends(context, ids)
  await db.deleteFrom('posts').where('accountId', '=', accountId).where('id', 'in', ids).execute()
  await postsChanged(context, posts, [])
}

/** Fails a pending send and records it in the postlog; returns the counter changes, to be written last. */
export async function failOnProfile(context: Context, post: PostRow, credentialId: string, why: string) {
  await failPendingSends(context, post.id, credentialId, why)
  return writePostlog(context, post, { credentialId, status: 'failed', error: why })
}

function lockUnsentPosts({ db, accountId }: Context, selection: Selection): Promise<PostRow[]> {
  const unsent = db
    .selectFrom('posts')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('status', 'in', ['draft', 'inqueue-draft', 'pending', 'inqueue'])
  const chosen =
    'campaignId' in selection
      ? unsent.where('campaignId', '=', selection.campaignId)
      : 'messageId' in selection
        ? unsent.where('messageId', '=', selection.messageId)
        : unsent.where((row) =>
            row(
              'id',
              'in',
              row
                .selectFrom('sends')
                .select('contentId')
                .where('accountId', '=', accountId)
                .where('credentialId', '=', selection.credentialId),
            ),
          )
  return chosen.orderBy('id').modifyEnd(lockRows('posts', 'update')).execute()
}

/** Reaction to the deletion of profiles; refuses while a post is in flight. */
export async function withdrawFromProfiles(context: Context, events: readonly Emitted<{ credentialId: string }>[]) {
  const { db, accountId } = context
  for (const { data } of events) {
    const { credentialId } = data
    const inFlight = await withdrawUnsent(context, { credentialId }, 'The profile was deleted.')
    if (inFlight > 0) throw conflict('A post is being sent through this profile at this moment. Try again in a minute.')
    await db
      .deleteFrom('queueSlots')
      .where('accountId', '=', accountId)
      .where('credentialId', '=', credentialId)
      .execute()
  }
}
