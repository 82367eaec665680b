import type { Selectable } from 'kysely'
import { addFacts } from '#areas/figures/add-facts.ts'
import { shown as shownAsset } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import type { Media } from '#kernel/database/tables.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import { requireCampaign } from '../campaign/campaign.ts'
import { addTags, tagIdsOf } from '../tag/tagging.ts'
import { type MessageRow, shown } from './message.ts'
import { judgeContent, weighed } from './message-content.ts'
import { addMedia, findMedia, requireMedia } from './message-media.ts'
import type { MessageDraft } from './message-shape.ts'

export const mostTags = 128
export const noAttachment = { linkUrl: '', linkTitle: '', description: '', imageUrl: '' }

export async function create(context: Context, { tagIds, ...draft }: MessageDraft) {
  const written = await write(context, draft)
  await attach(context, written)
  await place(context, [written.row], tagIds)
  return shownNew(context, written)
}

export interface Written {
  row: MessageRow
  media: readonly Selectable<Media>[]
}

/** Writes a message down without what belongs to it: media are held after messages, tags and counts after whatever else the caller holds. */
export async function write(
  context: Context,
  { campaignId, media: mediaIds = [], title = '', ...draft }: Omit<MessageDraft, 'tagIds'>,
): Promise<Written> {
  const { db, accountId, userId, now } = context
  await requireCampaign(context, campaignId)
  const media = await findMedia(context, mediaIds)
  const content = { ...noAttachment, ...draft, subject: title }
  const type = judgeContent(content, media)
  const existing = () => db.selectFrom('messages').where('accountId', '=', accountId).where('deleted', 'is', null)
  const id = newId('message', now)
  const made = { accountId, id, created: now, modified: now, createdBy: userId, modifiedBy: userId, campaignId, type }
  const insert = db.insertInto('messages').values({ ...made, ...content, ...weighed(content) })
  const row = await insertWithin(context, 'messages', existing, insert.returningAll())
  return { row, media }
}

/** Gives a new message the media that it was judged with; refuses if one is gone since. */
export async function attach(context: Context, { row, media }: Written) {
  const ids = media.map(({ id }) => id)
  await requireMedia(context, ids)
  await addMedia(context, row.id, ids)
}

/** As the wire shows what was just written. */
export const shownNew = (context: Context, { row, media }: Written) => ({
  ...shown(row),
  media: media.map((asset) => shownAsset(context, asset)),
})

/** Gives new messages of one campaign their tags, those of the campaign where none are told, and counts them. */
export async function place(
  context: Context,
  messages: readonly Pick<MessageRow, 'id' | 'campaignId'>[],
  tagIds: readonly string[] = [],
) {
  const [first] = messages
  if (!first) return
  const tags = tagIds.length > 0 ? tagIds : await tagIdsOf(context, first.campaignId)
  for (const { id } of messages) await addTags(context, id, tags, mostTags)
  const of = { campaign: first.campaignId }
  await addFacts(context, [{ name: 'messages', at: context.now, of, amount: messages.length }])
}
