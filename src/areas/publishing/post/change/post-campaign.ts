import { standingItem } from '#areas/approval/item/item.ts'
import { moveItems } from '#areas/approval/item/item-change.ts'
import { mayDecide } from '#areas/approval/item/people.ts'
import type { Context } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { requireUnchanged } from '#kernel/unchanged.ts'
import { requireCampaign } from '../../campaign/campaign.ts'
import { announcePost } from '../post.events.ts'
import { detailsOf } from '../read/post-details.ts'
import { holdCampaigns, lockUnsent, requirePost } from './post-lock.ts'
import { changePost } from './post-status.ts'

/** Moves a post; its message stays where it is, and what was approved is what goes out. */
export async function changeCampaign(context: Context, { id, campaignId }: { id: string; campaignId: string }) {
  const known = await requirePost(context, id)
  await requireCampaign(context, campaignId)
  const campaigns = await holdCampaigns(context, [known.campaignId, campaignId])
  const target = campaigns.find((campaign) => campaign.id === campaignId)
  if (!target || target.deleted || target.status === 'archived')
    throw invalid('campaignId names a campaign that is archived; nothing is published in it any more.')
  const post = await lockUnsent(context, id)
  requireUnchanged(context, post)
  const item = await standingItem(context, id)
  if (item?.status === 'pending' && !(await mayDecide(context, item)))
    throw forbidden('The post waits for approval; only the approvers of its step and admins move it.')
  const changed = await changePost(context, post, { campaignId })
  await moveItems(context, id, campaignId)
  await announcePost(context, 'postModified', changed)
  return detailsOf(context, changed)
}
