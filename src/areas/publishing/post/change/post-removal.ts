import { leaveApproval } from '#areas/approval/item/item-change.ts'
import { addFacts, type Fact } from '#areas/figures/add-facts.ts'
import { releaseAllMedia } from '#areas/media/asset/media-hold.ts'
import { isFinal, isInFlight, type SendState } from '#areas/sending/sendable.ts'
import { failPendingSends, lockSends, removeSends } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { writePostlog } from '../../postlog/postlog-write.ts'
import { announcePosts } from '../post.events.ts'
import { postsChanged } from '../post-count.ts'
import type { PostRow } from '../post-row.ts'
import { settlePost } from '../send/post-settle.ts'

type Which = { campaignId: string } | { messageId: string } | { credentialId: string }

/**
 * Takes back everything that was not sent: of a campaign that ends, a message or a profile that goes. Posts no profile has got
 * yet are deleted; of those some have, the rest is given up with the reason. Gives the number of those nobody can stop any more.
 */
export async function removeUnsent(context: Context, which: Which, why: string): Promise<number> {
  const posts = await lockPosts(context, which)
  let underWay = 0
  // A statement takes 65,535 values.
  for (let at = 0; at < posts.length; at += 5_000) underWay += await takeBack(context, posts.slice(at, at + 5_000), why)
  return underWay
}

async function takeBack(context: Context, posts: readonly PostRow[], why: string): Promise<number> {
  const ids = posts.map(({ id }) => id)
  const sends = (await lockSends(context, ids)).filter(({ kind }) => kind === 'post')
  const having = (is: (state: SendState) => boolean) =>
    new Set(sends.filter(({ state }) => is(state)).map(({ contentId }) => contentId))
  const [underWay, begun] = [having(isInFlight), having(isFinal)]
  const unsent = posts.filter(({ id }) => !underWay.has(id) && !begun.has(id))
  await deletePosts(context, unsent)
  const facts: Fact[] = []
  for (const post of posts) {
    if (underWay.has(post.id) || !begun.has(post.id)) continue
    for (const { contentId, credentialId, state } of sends)
      if (contentId === post.id && !isFinal(state)) facts.push(...(await giveUp(context, post, credentialId, why)))
    await settlePost(context, post)
  }
  await addFacts(context, facts)
  return underWay.size
}

/** Deletes a post that the caller holds and that nobody has got. */
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

/** Ends a send that has not begun, with the reason where people look for it; gives the facts, to be added last. */
export async function giveUp(context: Context, post: PostRow, credentialId: string, why: string) {
  await failPendingSends(context, post.id, credentialId, why)
  return writePostlog(context, post, { credentialId, status: 'failed', error: why })
}

function lockPosts({ db, accountId }: Context, which: Which): Promise<PostRow[]> {
  const unsent = db
    .selectFrom('posts')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('status', 'in', ['draft', 'inqueue-draft', 'pending', 'inqueue'])
  const chosen =
    'campaignId' in which
      ? unsent.where('campaignId', '=', which.campaignId)
      : 'messageId' in which
        ? unsent.where('messageId', '=', which.messageId)
        : unsent.where((row) =>
            row(
              'id',
              'in',
              row
                .selectFrom('sends')
                .select('contentId')
                .where('accountId', '=', accountId)
                .where('credentialId', '=', which.credentialId),
            ),
          )
  return chosen.orderBy('id').modifyEnd(heldRows('posts', 'update')).execute()
}
