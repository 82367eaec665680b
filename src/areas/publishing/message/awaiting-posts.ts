import { standingItems } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { announceChange } from '../post/post.events.ts'
import { lockCampaigns, lockProfilesOf, notifyPostsChanged, type PostRow, scheduledStatusOf } from '../post/post.ts'
import { updatePost } from '../post/post-schedule.ts'

/** Campaigns come before messages: whoever decides on a message holds those of the posts that wait for it. */
export async function holdCampaignsOfAwaiting(context: Context, messageId: string) {
  const rows = await awaiting(context, messageId).select('campaignId').distinct().execute()
  const ids = rows.map(({ campaignId }) => campaignId)
  if (ids.length > 0) await lockCampaigns(context, ids)
}

/** The posts that wait for a message, which the caller holds, so that nobody gives them other profiles meanwhile. */
export async function holdAwaiting(context: Context, messageId: string): Promise<PostRow[]> {
  const known = await awaiting(context, messageId).select(['credentialIds', 'status']).execute()
  if (known.length === 0) return []
  await lockProfilesOf(context, known)
  return awaiting(context, messageId).selectAll().orderBy('id').modifyEnd(lockRows('posts', 'update')).execute()
}

/** The message is approved again: the posts that were taken back with it go out as they were planned, or now if that has passed. */
export async function resumeAwaiting(context: Context, posts: readonly PostRow[]) {
  const items = await standingItems(
    context,
    posts.map(({ id }) => id),
  )
  for (const post of posts) {
    // Somebody has asked for its own approval meanwhile.
    if (items.has(post.id)) continue
    const startDateTime = post.startDateTime < context.now ? context.now : post.startDateTime
    const scheduled = { status: scheduledStatusOf(post.status), approveStatus: 'Approved' as const, startDateTime }
    const changed = await updatePost(context, post, { ...scheduled, awaitsMessage: false })
    await announceChange(context, post, changed)
  }
}

/** The message was not approved, or waits again, and so do they. Without `stillAwait` they are drafts that wait for nothing. */
export async function markAwaiting(
  context: Context,
  posts: readonly PostRow[],
  approveStatus: PostRow['approveStatus'],
  { stillAwait = true } = {},
) {
  if (posts.length === 0) return
  const { db, accountId, now } = context
  await db
    .updateTable('posts')
    .set({ approveStatus, awaitsMessage: stillAwait, modified: now })
    .where('accountId', '=', accountId)
    .where(
      'id',
      'in',
      posts.map(({ id }) => id),
    )
    .execute()
  notifyPostsChanged(context, posts)
}

const awaiting = ({ db, accountId }: Context, messageId: string) =>
  db
    .selectFrom('posts')
    .where('accountId', '=', accountId)
    .where('messageId', '=', messageId)
    .where('awaitsMessage', '=', true)
    .where('status', 'in', ['draft', 'inqueue-draft'])
