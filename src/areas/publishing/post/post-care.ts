import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { wakeLanes } from '../lane-wake.ts'
import { holdCampaigns, lockSends, requirePost, visible } from './post-lock.ts'
import { deletePost, giveUp } from './post-removal.ts'
import type { PostRow } from './post-row.ts'
import { lockPost, settlePost } from './post-settle.ts'
import { refuseEnded } from './post-targets.ts'
import { shown } from './post-view.ts'

/** Posts that missed their time on some profile, and wait for a person to say what is to become of them. */
export async function searchLate(context: Context, { page }: { page: Page }) {
  const lateSends = sql`post_sends s where s.account_id = ${context.accountId} and s.post_id = posts.id and s.is_late`
  const { items, total } = await paginate(
    visible(context)
      // From the few that are late, not from all posts.
      .where(sql<boolean>`id in (select post_id from post_sends where account_id = ${context.accountId} and is_late)`)
      .select(sql<string[]>`array(select s.credential_id from ${lateSends} order by s.credential_id)`.as('lateOn')),
    page,
  )
  return { items: items.map((post) => ({ ...shown(post), credentials: post.lateOn.join(',') })), total }
}

export async function decideLate(context: Context, { id, action }: { id: string; action: 'send' | 'drop' }) {
  const { post, campaign } = await holdSent(context, id)
  const sends = (await lockSends(context, [id])).filter(({ kind }) => kind === 'post')
  const late = sends.filter(({ state }) => state === 'late').map(({ credentialId }) => credentialId)
  if (late.length === 0) throw conflict('The post has not missed its time on any profile; there is nothing to decide.')
  if (action === 'send') {
    refuseEnded(campaign)
    await setGoing(context, post, late, campaign?.status === 'paused')
    return
  }
  if (late.length === sends.length) {
    await deletePost(context, post)
    return
  }
  for (const credentialId of late) await giveUp(context, post, credentialId, 'It missed its time and was dropped.')
  await settlePost(context, post)
}

/** A post that the caller sees, held together with its campaign, however far it has come. */
export async function holdSent(context: Context, id: string) {
  const { campaignId } = await requirePost(context, id)
  const [campaign] = await holdCampaigns(context, [campaignId])
  const post = await lockPost(context, id)
  if (!post) throw missing('Post')
  return { post, campaign }
}

/** Lets sends go out now, as if it were their first time; while the campaign is paused, when it goes on. */
export async function setGoing(context: Context, post: PostRow, credentialIds: readonly string[], isPaused: boolean) {
  const { db, accountId, now } = context
  const afresh = { attempts: 0, looks: 0, intent: null, progress: null, error: '' }
  await db
    .updateTable('postSends')
    .set({ ...afresh, state: 'waiting', planned: now, due: isPaused ? null : now })
    .where('accountId', '=', accountId)
    .where('postId', '=', post.id)
    .where('credentialId', 'in', credentialIds)
    .where('kind', '=', 'post')
    .execute()
  if (isPaused) return
  await wakeLanes(
    context,
    credentialIds.map((credential) => ({ credential, network: post.network, due: now })),
  )
}
