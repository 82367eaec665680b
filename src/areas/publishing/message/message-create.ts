import { addFacts } from '#areas/figures/add-facts.ts'
import { shown as shownAsset } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/room/insert-within.ts'
import { requireCampaign } from '../campaign/campaign.ts'
import { addTags, tagIdsOf } from '../tag/tagging.ts'
import { shown } from './message.ts'
import { judgeContent, lengthOf } from './message-content.ts'
import { addMedia, requireMedia } from './message-media.ts'
import type { MessageDraft } from './message-shape.ts'

export const mostTags = 128
export const noAttachment = { linkUrl: '', linkTitle: '', description: '', imageUrl: '' }

export async function create(
  context: Context,
  { campaignId, tagIds = [], media: mediaIds = [], title = '', ...draft }: MessageDraft,
) {
  const { db, accountId, userId, now } = context
  await requireCampaign(context, campaignId)
  const media = await requireMedia(context, mediaIds)
  const content = { ...noAttachment, ...draft, subject: title }
  const type = judgeContent(content, media)
  const existing = () => db.selectFrom('messages').where('accountId', '=', accountId).where('deleted', 'is', null)
  const id = newId('message', now)
  const made = { accountId, id, created: now, modified: now, createdBy: userId, modifiedBy: userId, campaignId, type }
  const insert = db.insertInto('messages').values({ ...made, ...content, messageLength: lengthOf(content) })
  const row = await insertWithin(context, 'messages', existing, insert.returningAll())
  await addMedia(context, id, mediaIds)
  // Without tags of its own a message takes its campaign's.
  await addTags(context, id, tagIds.length > 0 ? tagIds : await tagIdsOf(context, campaignId), mostTags)
  await addFacts(context, [{ name: 'messages', at: now, of: { campaign: campaignId } }])
  return { ...shown(row), media: media.map((asset) => shownAsset(context, asset)) }
}
