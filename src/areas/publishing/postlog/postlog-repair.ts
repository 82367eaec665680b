import { addFacts } from '#areas/figures/add-facts.ts'
import { wakeProfiles } from '#areas/sending/profile-partitions.ts'
import { lockSends, releaseDependents, resend, resolveSend } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { isScheduled, type PostRow, postsChanged, requireActiveCampaign } from '../post/post.ts'
import { settlePost } from '../post/post-end.ts'
import { holdPostMedia } from '../post/post-schedule.ts'
import { lockPostWithCampaign } from '../post/post-update.ts'
import { get } from './postlog.ts'
import { writePostlog } from './postlog-write.ts'

interface Found {
  id: string
  /** The network's id of the post; without it no first comment can be added. */
  remoteId?: string | undefined
  remoteUrl?: string | undefined
}

export async function repair(context: Context, { action, ...found }: Found & { action: 'mark-sent' | 'send-again' }) {
  if (action === 'mark-sent') return markSent(context, found)
  if (found.remoteId || found.remoteUrl)
    throw invalid('remoteId and remoteUrl say where a post is; give them with action=mark-sent.')
  return sendAgain(context, found)
}

/** A user has confirmed that the post exists on the network, which overrides the recorded result. */
async function markSent(context: Context, { id, remoteId = '', remoteUrl = '' }: Found) {
  if (remoteUrl !== '' && !/^https?:\/\/[^\s/]+/i.test(remoteUrl))
    throw invalid('remoteUrl must be an address that starts with http:// or https://.')
  const { post, credentialId } = await holdFailed(context, id)
  const entry = { credentialId, status: 'success' as const, remoteId, remoteUrl, publishedDate: context.now }
  const facts = await writePostlog(context, post, entry)
  await resolveSend(context, { contentId: post.id, credentialId, kind: 'post' }, { state: 'sent', remoteId })
  await commentOn(context, post, credentialId, remoteId)
  await settlePost(context, post)
  await addFacts(context, facts)
  return (await get(context, { id })).postlog
}

/** Sends a failed post again immediately. */
async function sendAgain(context: Context, { id }: { id: string }) {
  const { post, credentialId, campaign } = await holdFailed(context, id)
  requireActiveCampaign(campaign)
  await refuseGone(context, post, credentialId)
  await holdPostMedia(context, post)
  const isHeld = campaign?.status === 'paused'
  await resend(context, 'post', { contentId: post.id, credentialIds: [credentialId], isHeld })
  await resolveSend(context, commentUnder(post, credentialId), { state: 'idle' })
  await reopen(context, post)
  return (await get(context, { id })).postlog
}

/** Locks a postlog of a failed send and its post; refuses any other postlog. */
async function holdFailed(context: Context, id: string) {
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

const commentUnder = ({ id: contentId }: PostRow, credentialId: string) => {
  return { contentId, credentialId, kind: 'first-comment' }
}

async function commentOn(context: Context, post: PostRow, credentialId: string, remoteId: string) {
  const error = 'It is not known which post on the network this comment belongs to.'
  const comment = commentUnder(post, credentialId)
  if (remoteId === '') return resolveSend(context, comment, { state: 'failed', error })
  await releaseDependents(context, [comment])
  return wakeProfiles(context, [{ credential: credentialId, network: post.network, due: context.now }])
}

async function refuseGone({ db, accountId }: Context, { messageId }: PostRow, credentialId: string) {
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
