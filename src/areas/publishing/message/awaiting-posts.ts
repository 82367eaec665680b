import { standingItems } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { announceChange } from '../post/post.events.ts'
import { lockCampaigns, lockProfilesOf, notifyPostsChanged, type PostRow, scheduledStatusOf } from '../post/post.ts'
import { updatePost } from '../post/post-schedule.ts'

/** Lock order: campaigns before messages. Deciding on a message therefore locks the campaigns of the posts that await it first. */
export async function holdCampaignsOfAwaiting(context: Context, messageId: string) {
  const rows = await awaiting(context, messageId).select('campaignId').distinct().execute()
  const ids = rows.map(({ campaignId }) => campaignId)
  if (ids.length > 0) await lockCampaigns(context, ids)
}

/** Locks the posts that await a message. The caller has locked the message, so their profiles cannot change. */
export async function holdAwaiting(context: Context, messageId: string): Promise<PostRow[]> {
  const known = await awaiting(context, messageId).select(['credentialIds', 'status']).execute()
  if (known.length === 0) return []
  await lockProfilesOf(context, known)
  return awaiting(context, messageId).selectAll().orderBy('id').modifyEnd(lockRows('posts', 'update')).execute()
}

/** Called when the message is approved again: posts withdrawn with it are scheduled as planned, or for now if that time has passed. */
export async function resumeAwaiting(context: Context, posts: readonly PostRow[]) {
  const items = await standingItems(
    context,
    posts.map(({ id }) => id),
  )
  for (const post of posts) {
    // Its own approval was requested in the meantime.
    if (items.has(post.id)) continue
    const startDateTime = post.startDateTime < context.now ? context.now : post.startDateTime
    const scheduled = { status: scheduledStatusOf(post.status), approveStatus: 'Approved' as const, startDateTime }
    const changed = await updatePost(context, post, { ...scheduled, awaitsMessage: false })
    await announceChange(context, post, changed)
  }
}

/** Marks posts as pending because their message was not approved or is pending again. Without `stillAwait` they become plain drafts. */
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
