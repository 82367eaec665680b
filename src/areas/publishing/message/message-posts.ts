import { submitAgain, submitToDefault } from '#areas/approval/decision/submission.ts'
import { requireMayChange } from '#areas/approval/item/approvers.ts'
import { currentItems, type Item } from '#areas/approval/item/item.ts'
import { emitInner } from '#areas/events/event.ts'
import { isFinal, isInFlight } from '#areas/sending/sendable.ts'
import { lockSends, restartSends } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { isFreeDraft, postApprovable } from '../post/post.approvable.ts'
import { announceChange } from '../post/post.events.ts'
import {
  draftStatusOf,
  isScheduled,
  lockCampaigns,
  lockProfilesOf,
  notifyPostsChanged,
  type PlannedStatus,
  type PostRow,
} from '../post/post.ts'
import { holdPostMedia, updatePost } from '../post/post-schedule.ts'
import { messageApprovable } from './message.approvable.ts'
import type { MessageRow } from './message.ts'

/**
 * Users who may not publish can change their own messages and messages of drafts, but not messages that others have scheduled, published,
 * approved or submitted in any form. The caller has locked the message, so no post can be created from it concurrently.
 */
export async function requireMayChangeMessage(context: Context, { id, createdBy }: MessageRow) {
  const { db, accountId, userId, role } = context
  if (may(role, 'approve')) return
  const othersPosts = await db
    .selectFrom('posts')
    .select(['id', 'createdBy', 'status', 'awaitsMessage'])
    .where('accountId', '=', accountId)
    .where('messageId', '=', id)
    .where('createdBy', '<>', userId)
    .execute()
  const items = await currentItems(context, [id, ...othersPosts.map((post) => post.id)])
  requireMayChange(context, 'message', { createdBy, isDraft: true }, items.get(id))
  for (const post of othersPosts)
    requireMayChange(context, 'message', { createdBy: post.createdBy, isDraft: isFreeDraft(post) }, items.get(post.id))
  await emitInner(context, 'messageChanging', { messageId: id })
}

/** Lock order: campaigns before messages. Changing a message therefore locks its own campaign and those of its posts first. */
export async function lockCampaignsOfPosts(context: Context, messageId: string, own: readonly string[]) {
  const rows = await unsentOf(context, messageId).select('campaignId').distinct().execute()
  const ids = [...own, ...rows.map(({ campaignId }) => campaignId)]
  if (ids.length > 0) await lockCampaigns(context, ids)
}

/** Profiles cannot publish content of another network; only for drafts can the profiles still be changed. */
export async function refuseOtherNetwork({ db, accountId }: Context, { id, network }: MessageRow) {
  const { count } = await db
    .selectFrom('posts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('messageId', '=', id)
    .where('status', 'not in', ['draft', 'inqueue-draft'])
    .executeTakeFirstOrThrow()
  if (count === 0) return
  const subject = count === 1 ? '1 scheduled or sent post uses' : `${count} scheduled or sent posts use`
  throw conflict(`${subject} this message, so that it stays a message for ${network}. Make another message instead.`)
}

/**
 * Applies a change of the message to its unsent posts. If the caller may not publish, scheduled posts return to approval; an approved
 * message or post starts again at the first workflow step.
 */
export async function followMessage(context: Context, { id: messageId, network }: Pick<MessageRow, 'id' | 'network'>) {
  // Their profiles cannot change in the meantime, since the message is locked.
  await lockProfilesOf(context, await unsentOf(context, messageId).select(['credentialIds', 'status']).execute())
  const posts = await unsentOf(context, messageId)
    .selectAll()
    .orderBy('id')
    .modifyEnd(lockRows('posts', 'update'))
    .execute()
  const ids = posts.map(({ id }) => id)
  const sends = ids.length > 0 ? await lockSends(context, ids) : []
  if (sends.some(({ state }) => isInFlight(state)))
    throw conflict('A post of this message is being sent at this moment. Try again in a minute.')
  if (ids.length > 0) await restartSends(context, 'post', ids)
  const items = await currentItems(context, [messageId, ...ids])
  const messageItem = items.get(messageId)
  // Clients that show the posts have to reload the text.
  notifyPostsChanged(context, posts)
  for (const post of posts) {
    await holdPostMedia(context, post)
    const isPartlySent = sends.some(({ contentId, state }) => contentId === post.id && isFinal(state))
    await updatePostOf(context, post, { network, postItem: items.get(post.id), messageItem, isPartlySent })
  }
  if (messageItem?.status === 'approved') await markPending(context, messageId)
  if (messageItem && messageItem.status !== 'rejected') await submitAgain(context, messageApprovable, messageItem)
}

interface FollowOptions {
  /** The network of the message after the change. */
  network: PostRow['network']
  /** The approval items of the post and of the message. */
  postItem: Item | undefined
  messageItem: Item | undefined
  /** Sent to some of its profiles already. */
  isPartlySent: boolean
}

async function updatePostOf(
  context: Context,
  post: PostRow,
  { network, postItem, messageItem, isPartlySent }: FollowOptions,
) {
  const isApproved = postItem?.status === 'approved'
  const isWithdrawn = messageItem?.status === 'approved' && isScheduled(post.status)
  const needsApproval = isScheduled(post.status) && !may(context.role, 'approve')
  const awaitsMessage = isWithdrawn && !isApproved
  if (isApproved || isWithdrawn || needsApproval) {
    if (isPartlySent) throw conflict(needsApproval ? onlyPublishers : approvedAndPartlySent)
    const draft = { status: draftStatusOf(post.status as PlannedStatus), approveStatus: 'Pending' as const }
    const changed = await updatePost(context, post, { ...draft, network, awaitsMessage })
    await announceChange(context, post, changed)
  } else if (network !== post.network) await updatePost(context, post, { network })
  if (postItem && postItem.status !== 'rejected') await submitAgain(context, postApprovable, postItem)
  // Scheduled without an item by a user who may publish.
  else if (needsApproval && !awaitsMessage)
    await submitToDefault(context, postApprovable, { entityId: post.id, createdBy: context.userId })
}

const partlySent = 'A post of this message has reached some of its profiles'
const onlyPublishers = `${partlySent}; only a publisher can change what the others get.`
const approvedAndPartlySent = `${partlySent}; what was approved cannot be changed for the others any more.`

const markPending = ({ db, accountId }: Context, id: string) =>
  db
    .updateTable('messages')
    .set({ approveStatus: 'Pending' })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()

const unsentOf = ({ db, accountId }: Context, messageId: string) =>
  db
    .selectFrom('posts')
    .where('accountId', '=', accountId)
    .where('messageId', '=', messageId)
    .where('status', 'in', ['draft', 'inqueue-draft', 'pending', 'inqueue'])
