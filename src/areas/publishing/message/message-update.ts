import { leaveApproval } from '#areas/approval/item/item.ts'
import { emitInner } from '#areas/events/event.ts'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { requireUnchanged } from '#kernel/etag.ts'
import { may } from '#kernel/permissions.ts'
import { requireCampaign } from '../campaign/campaign.ts'
import { withdrawUnsent } from '../post/post-end.ts'
import { setTags } from '../tag/tag.ts'
import { get, mediaOf, requireMedia, setMedia, visible } from './message.ts'
import { contentFields, contentOf, judgeContent, weighed } from './message-content.ts'
import { mostTags, moveMessage } from './message-create.ts'
import { followMessage, holdCampaignsOfPosts, refuseOtherNetwork, requireMayChangeMessage } from './message-posts.ts'
import type { MessageChanges } from './message-shape.ts'

/** Omitted fields stay; the result is validated as a whole. */
export async function update(
  context: Context,
  { id, tagIds, media: mediaIds, campaignId, title, ...changes }: MessageChanges,
) {
  const { db, accountId, userId, now } = context
  const given = { ...changes, ...(title !== undefined && { subject: title }) }
  const mayChange = [mediaIds, campaignId, ...Object.values(given)].some((one) => one !== undefined)
  if (campaignId !== undefined) await requireCampaign(context, campaignId)
  if (mayChange) await holdCampaignsOfPosts(context, id, campaignId === undefined ? [] : [campaignId])
  const before = await visible(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('messages', 'update'))
    .executeTakeFirst()
  if (!before) throw missing('Message')
  requireUnchanged(context, before)
  await requireMayChangeMessage(context, before)
  const mediaBefore = await mediaOf(context, id)
  const media = mediaIds ? await requireMedia(context, mediaIds) : mediaBefore
  const content = { ...contentOf(before), ...given }
  const type = judgeContent(content, media)
  if (content.network !== before.network) await refuseOtherNetwork(context, before)
  await db
    .updateTable('messages')
    .set({ ...content, ...weighed(content), type, modified: now, modifiedBy: userId })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  if (mediaIds) await setMedia(context, id, mediaIds)
  if (campaignId !== undefined && campaignId !== before.campaignId) await moveMessage(context, before, campaignId)
  const saysOther =
    idsOf(media) !== idsOf(mediaBefore) || contentFields.some((field) => content[field] !== before[field])
  if (saysOther) {
    await followMessage(context, { id, network: content.network })
    await emitInner(context, 'messageChanged', { messageId: id, mayApprove: may(context.role, 'approve') })
  }
  if (tagIds) await setTags(context, id, tagIds, mostTags)
  return get(context, { id })
}

const idsOf = (media: readonly { id: string }[]) => media.map(({ id }) => id).join()

/** Soft delete: the row stays for posts sent from it; unsent posts are withdrawn. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, now } = context
  const message = await visible(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('messages', 'update'))
    .executeTakeFirst()
  if (!message) throw missing('Message')
  await requireMayChangeMessage(context, message)
  if ((await withdrawUnsent(context, { messageId: id }, 'The message was deleted.')) > 0)
    throw conflict('A post of this message is being sent at this moment. Try again in a minute.')
  await leaveApproval(context, [id])
  await db
    .updateTable('messages')
    .set({ deleted: now, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  await addFacts(context, [{ name: 'messages', at: now, of: { campaign: message.campaignId }, amount: -1 }])
}
