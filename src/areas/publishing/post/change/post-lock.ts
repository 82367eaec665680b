import { withinTeams } from '#areas/account/team/visibility.ts'
import { figuresOf } from '#areas/figures/read-figures.ts'
import { isOver, isUnderWay } from '#areas/sending/sendable.ts'
import { lockSends } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, missing } from '#kernel/errors.ts'
import type { CountedPost, PostRow } from '../post-row.ts'

/** Posts are seen by those who see their campaign. */
export const visible = (context: Context) =>
  context.db
    .selectFrom('posts')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where(withinTeams(context, 'posts.campaign_id'))

/** With every number that tells of them. */
export const counted = (context: Context) => visible(context).select(figuresOf(context, 'post', 'posts.id'))

/** A post as it is at this moment, without holding it. */
export async function requirePost(context: Context, id: string): Promise<CountedPost> {
  const post = await counted(context).where('id', '=', id).executeTakeFirst()
  if (!post) throw missing('Post')
  return post
}

/** Campaigns as they are, held: who would pause, archive or delete one waits, or is waited for. Always before their posts. */
export const holdCampaigns = ({ db, accountId }: Context, ids: readonly string[]) =>
  db
    .selectFrom('campaigns')
    .select(['id', 'name', 'status', 'deleted'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forShare()
    .execute()

/** A post that may still be changed, held until the change is made; refuses one that was sent or is being sent. */
export async function lockUnsent(context: Context, id: string): Promise<PostRow> {
  const { campaignId } = await requirePost(context, id)
  await holdCampaigns(context, [campaignId])
  const post = await visible(context).where('id', '=', id).forUpdate('posts').executeTakeFirst()
  if (!post) throw missing('Post')
  if (post.campaignId !== campaignId) throw conflict('The post was moved to another campaign just now. Try again.')
  const states = await lockSends(context, [id])
  if (states.some(({ state }) => isUnderWay(state)))
    throw conflict('The post is being sent at this moment. Look again in a minute to see what became of it.')
  if (states.some(({ state }) => isOver(state)))
    throw conflict('The post has been sent already; only posts that were not can be changed.')
  return post
}
