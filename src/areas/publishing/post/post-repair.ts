import { sql } from 'kysely'
import { type Increment, incrementCounters } from '#areas/counters/increments.ts'
import { wakeProfiles } from '#areas/sending/profile-partitions.ts'
import { lockSends, releaseDependents, resend, resolveSend } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import {
  isScheduled,
  lockCampaigns,
  type PostRow,
  postsChanged,
  postView,
  requireActiveCampaign,
  requirePost,
  visiblePosts,
} from './post.ts'
import { deletePost, failOnProfile, lockPost, settlePost } from './post-end.ts'
import { holdPostMedia } from './post-schedule.ts'
import { get, writePostlog } from './postlog.ts'

/** Decisions of users about posts that are late, failed or unconfirmed on some profile. */

/** Posts that were too late to be sent on some profile and wait for a decision. */
export async function searchLate(context: Context, { page }: { page: Page }) {
  const lateSends = sql`sends s where s.account_id = ${context.accountId} and s.content_id = posts.id and s.is_late`
  const { items, total } = await paginate(
    visiblePosts(context)
      // Starts from the few late sends, not from all posts.
      .where(sql<boolean>`id in (select content_id from sends where account_id = ${context.accountId} and is_late)`)
      .select(
        sql<string[]>`array(select distinct s.credential_id from ${lateSends} order by s.credential_id)`.as('lateOn'),
      ),
    page,
  )
  return { items: items.map((post) => ({ ...postView(post), credentials: post.lateOn.join(',') })), total }
}

export async function resolveLate(context: Context, { id, action }: { id: string; action: 'send' | 'drop' }) {
  const { post, campaign } = await lockPostWithCampaign(context, id)
  const sends = await lockSends(context, [id])
  const late = (kind: string) =>
    sends.filter((send) => send.kind === kind && send.state === 'late').map(({ credentialId }) => credentialId)
  const [posts, comments] = [late('post'), late('first-comment')]
  if (posts.length + comments.length === 0)
    throw conflict('The post has not missed its time on any profile; there is nothing to decide.')
  if (action === 'send') {
    requireActiveCampaign(campaign)
    const target = { contentId: id, isHeld: campaign?.status === 'paused' }
    await resend(context, 'post', { ...target, credentialIds: posts })
    await resend(context, 'first-comment', { ...target, credentialIds: comments })
    return
  }
  if (posts.length === sends.filter(({ kind }) => kind === 'post').length) {
    await deletePost(context, post)
    return
  }
  const why = 'It missed its time and was dropped.'
  const increments: Increment[] = []
  for (const credentialId of posts) increments.push(...(await failOnProfile(context, post, credentialId, why)))
  for (const credentialId of comments)
    await resolveSend(context, { contentId: id, credentialId, kind: 'first-comment' }, { state: 'failed', error: why })
  await settlePost(context, post)
  await incrementCounters(context, increments)
}

interface RemotePost {
  id: string
  /** The network's id of the post; without it no first comment can be added. */
  remoteId?: string | undefined
  remoteUrl?: string | undefined
}

export async function repair(
  context: Context,
  { action, ...found }: RemotePost & { action: 'mark-sent' | 'send-again' },
) {
  if (action === 'mark-sent') return markSent(context, found)
  if (found.remoteId || found.remoteUrl)
    throw invalid('remoteId and remoteUrl say where a post is; give them with action=mark-sent.')
  return sendAgain(context, found)
}

/** A user has confirmed that the post exists on the network, which overrides the recorded result. */
async function markSent(context: Context, { id, remoteId = '', remoteUrl = '' }: RemotePost) {
  if (remoteUrl !== '' && !/^https?:\/\/[^\s/]+/i.test(remoteUrl))
    throw invalid('remoteUrl must be an address that starts with http:// or https://.')
  const { post, credentialId } = await lockFailed(context, id)
  const entry = { credentialId, status: 'success' as const, remoteId, remoteUrl, publishedDate: context.now }
  const increments = await writePostlog(context, post, entry)
  await resolveSend(context, { contentId: post.id, credentialId, kind: 'post' }, { state: 'sent', remoteId })
  await releaseComment(context, post, credentialId, remoteId)
  await settlePost(context, post)
  await incrementCounters(context, increments)
  return (await get(context, { id })).postlog
}

/** Sends a failed post again immediately. */
async function sendAgain(context: Context, { id }: { id: string }) {
  const { post, credentialId, campaign } = await lockFailed(context, id)
  requireActiveCampaign(campaign)
  await refuseDeleted(context, post, credentialId)
  await holdPostMedia(context, post)
  const isHeld = campaign?.status === 'paused'
  await resend(context, 'post', { contentId: post.id, credentialIds: [credentialId], isHeld })
  await resolveSend(context, commentKey(post, credentialId), { state: 'idle' })
  await reopen(context, post)
  return (await get(context, { id })).postlog
}

/** Locks a postlog of a failed send and its post; refuses any other postlog. */
async function lockFailed(context: Context, id: string) {
  const { postlog } = await get(context, { id })
  const { post, campaign } = await lockPostWithCampaign(context, postlog.postId)
  const { credentialId } = postlog
  const sends = await lockSends(context, [post.id])
  const state = sends.find((send) => send.kind === 'post' && send.credentialId === credentialId)?.state
  if (state === 'sent') throw conflict('The profile has got this post; there is nothing to do about it.')
  if (state !== 'failed' && state !== 'unconfirmed')
    throw conflict('The post is on its way to this profile again; wait for what becomes of it.')
  return { post, credentialId, campaign }
}

/** Locks a visible post in any state, and its campaign. */
async function lockPostWithCampaign(context: Context, id: string) {
  const { campaignId } = await requirePost(context, id)
  const [campaign] = await lockCampaigns(context, [campaignId])
  const post = await lockPost(context, id)
  if (!post) throw missing('Post')
  return { post, campaign }
}

const commentKey = ({ id: contentId }: PostRow, credentialId: string) => {
  return { contentId, credentialId, kind: 'first-comment' }
}

async function releaseComment(context: Context, post: PostRow, credentialId: string, remoteId: string) {
  const error = 'It is not known which post on the network this comment belongs to.'
  const comment = commentKey(post, credentialId)
  if (remoteId === '') return resolveSend(context, comment, { state: 'failed', error })
  await releaseDependents(context, [comment])
  return wakeProfiles(context, [{ credential: credentialId, network: post.network, due: context.now }])
}

async function refuseDeleted({ db, accountId }: Context, { messageId }: PostRow, credentialId: string) {
  const message = await db
    .selectFrom('messages')
    .select('deleted')
    .where('accountId', '=', accountId)
    .where('id', '=', messageId)
    .executeTakeFirst()
  if (!message || message.deleted) throw conflict('The message was deleted; it cannot be sent again.')
  const profile = await db
    .selectFrom('credentials')
    .select('deleted')
    .where('accountId', '=', accountId)
    .where('id', '=', credentialId)
    .executeTakeFirst()
  if (!profile || profile.deleted) throw conflict('The profile was deleted; nothing can be sent in its name any more.')
}

/** Sets the post to scheduled again because one of its sends is pending again. */
async function reopen(context: Context, post: PostRow) {
  const { db, accountId, userId, now } = context
  const status = isScheduled(post.status) ? post.status : 'pending'
  const reopened = await db
    .updateTable('posts')
    .set({ status, modified: now, modifiedBy: userId })
    .where('accountId', '=', accountId)
    .where('id', '=', post.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await postsChanged(context, [post], [reopened])
}
