import { sql } from 'kysely'
import { addFacts, type Fact } from '#areas/figures/add-facts.ts'
import { lockSends, resend, resolveSend } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { refuseEnded } from '../plan/post-targets.ts'
import { shown } from '../read/post-view.ts'
import { lockPost, settlePost } from '../send/post-settle.ts'
import { holdCampaigns, requirePost, visible } from './post-lock.ts'
import { deletePost, giveUp } from './post-removal.ts'

/** Posts that missed their time on some profile, and wait for a person to say what is to become of them. */
export async function searchLate(context: Context, { page }: { page: Page }) {
  const lateSends = sql`sends s where s.account_id = ${context.accountId} and s.content_id = posts.id and s.is_late`
  const { items, total } = await paginate(
    visible(context)
      // From the few that are late, not from all posts.
      .where(sql<boolean>`id in (select content_id from sends where account_id = ${context.accountId} and is_late)`)
      .select(
        sql<string[]>`array(select distinct s.credential_id from ${lateSends} order by s.credential_id)`.as('lateOn'),
      ),
    page,
  )
  return { items: items.map((post) => ({ ...shown(post), credentials: post.lateOn.join(',') })), total }
}

export async function decideLate(context: Context, { id, action }: { id: string; action: 'send' | 'drop' }) {
  const { post, campaign } = await holdSent(context, id)
  const sends = await lockSends(context, [id])
  const late = (kind: string) =>
    sends.filter((send) => send.kind === kind && send.state === 'late').map(({ credentialId }) => credentialId)
  const [posts, comments] = [late('post'), late('first-comment')]
  if (posts.length + comments.length === 0)
    throw conflict('The post has not missed its time on any profile; there is nothing to decide.')
  if (action === 'send') {
    refuseEnded(campaign)
    const order = { contentId: id, isHeld: campaign?.status === 'paused' }
    await resend(context, 'post', { ...order, credentialIds: posts })
    await resend(context, 'first-comment', { ...order, credentialIds: comments })
    return
  }
  if (posts.length === sends.filter(({ kind }) => kind === 'post').length) {
    await deletePost(context, post)
    return
  }
  const why = 'It missed its time and was dropped.'
  const facts: Fact[] = []
  for (const credentialId of posts) facts.push(...(await giveUp(context, post, credentialId, why)))
  for (const credentialId of comments)
    await resolveSend(context, { contentId: id, credentialId, kind: 'first-comment' }, { state: 'failed', error: why })
  await settlePost(context, post)
  await addFacts(context, facts)
}

/** A post that the caller sees, held together with its campaign, however far it has come. */
export async function holdSent(context: Context, id: string) {
  const { campaignId } = await requirePost(context, id)
  const [campaign] = await holdCampaigns(context, [campaignId])
  const post = await lockPost(context, id)
  if (!post) throw missing('Post')
  return { post, campaign }
}
