import { withinTeams } from '#areas/account/team/visibility.ts'
import { figuresOf } from '#areas/figures/read-figures.ts'
import { isFinal, isInFlight } from '#areas/sending/sendable.ts'
import { lockSends } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { type CountedPost, isQueued, type PostRow } from '../post-row.ts'

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
    .modifyEnd(heldRows('campaigns', 'share'))
    .execute()

/**
 * Profiles that are there, held: who would delete one waits. Always before posts, and at once as strongly as a place in their queue is
 * taken: two who both held weakly first would wait for each other. What advocates connected for themselves is not among them.
 */
export const lockProfiles = ({ db, accountId }: Context, ids: readonly string[], queued: boolean) =>
  db
    .selectFrom('credentials')
    .select(['id', 'network', 'displayName'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .where('deleted', 'is', null)
    .where('boardOnly', '=', false)
    .orderBy('id')
    .modifyEnd(heldRows('credentials', queued ? 'no key update' : 'share'))
    .execute()

/** Those of posts that are about to be held. */
export async function lockProfilesOf(context: Context, posts: readonly Pick<PostRow, 'credentialIds' | 'status'>[]) {
  const ids = [...new Set(posts.flatMap(({ credentialIds }) => credentialIds))]
  const queued = posts.some(({ status }) => isQueued(status))
  if (ids.length > 0) await lockProfiles(context, ids, queued)
}

/** A post that may still be changed, held until the change is made; refuses one that was sent or is being sent. */
export async function lockUnsent(context: Context, id: string): Promise<PostRow> {
  const known = await requirePost(context, id)
  await holdCampaigns(context, [known.campaignId])
  await lockProfilesOf(context, [known])
  const post = await visible(context).where('id', '=', id).modifyEnd(heldRows('posts', 'update')).executeTakeFirst()
  if (!post) throw missing('Post')
  if (post.campaignId !== known.campaignId)
    throw conflict('The post was moved to another campaign just now. Try again.')
  const states = await lockSends(context, [id])
  if (states.some(({ state }) => isInFlight(state)))
    throw conflict('The post is being sent at this moment. Look again in a minute to see what became of it.')
  if (states.some(({ state }) => isFinal(state)))
    throw conflict('The post has been sent already; only posts that were not can be changed.')
  return post
}
