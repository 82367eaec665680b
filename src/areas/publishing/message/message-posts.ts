import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { restartApproval } from '../approval/approval.ts'
import { announcePost } from '../post/post.events.ts'
import { holdCampaigns, lockSends } from '../post/post-lock.ts'
import { holdPostMedia } from '../post/post-media.ts'
import { draftOf, isOver, isScheduled, isUnderWay, type PlannedStatus, type PostRow } from '../post/post-row.ts'
import { changePost } from '../post/post-status.ts'

/** Campaigns come before messages: whoever changes a message holds those of its posts first. */
export async function holdCampaignsOfPosts(context: Context, messageId: string) {
  const rows = await unsentOf(context, messageId).select('campaignId').distinct().execute()
  if (rows.length > 0)
    await holdCampaigns(
      context,
      rows.map(({ campaignId }) => campaignId),
    )
}

/** What was not sent goes out as the message is now; what only some may say waits for them. */
export async function followMessage(context: Context, messageId: string) {
  const posts = await unsentOf(context, messageId).selectAll().orderBy('id').forUpdate().execute()
  const ids = posts.map(({ id }) => id)
  const sends = ids.length > 0 ? await lockSends(context, ids) : []
  if (sends.some(({ state }) => isUnderWay(state)))
    throw conflict('A post of this message is being sent at this moment. Try again in a minute.')
  if (ids.length > 0) await prepareAnew(context, ids)
  for (const post of posts) {
    await holdPostMedia(context, post)
    const isBegun = sends.some(({ postId, state }) => postId === post.id && isOver(state))
    if (!may(context.role, 'approve') && isScheduled(post.status)) await takeBack(context, post, isBegun)
  }
  await restartApproval(context, messageId)
}

async function takeBack(context: Context, post: PostRow, isBegun: boolean) {
  if (isBegun)
    throw conflict(
      'A post of this message has reached some of its profiles; only a publisher can change what the others get.',
    )
  const draft = { status: draftOf(post.status as PlannedStatus), approveStatus: 'Pending' as const }
  await announcePost(context, 'postModified', await changePost(context, post, draft))
}

/** Nothing that was uploaded before belongs to what the message is now; who prepares it finds that it was taken away. */
const prepareAnew = ({ db, accountId }: Context, postIds: readonly string[]) =>
  db
    .updateTable('postSends')
    .set({ state: 'waiting', progress: null, fence: 0 })
    .where('accountId', '=', accountId)
    .where('postId', 'in', postIds)
    .where('kind', '=', 'post')
    .where('state', 'in', ['waiting', 'preparing'])
    .execute()

const unsentOf = ({ db, accountId }: Context, messageId: string) =>
  db
    .selectFrom('posts')
    .where('accountId', '=', accountId)
    .where('messageId', '=', messageId)
    .where('status', 'in', ['draft', 'inqueue-draft', 'pending', 'inqueue'])
