import { type Selectable, type SqlBool, sql } from 'kysely'
import { leaveApproval, moveItems } from '#areas/approval/item/item.ts'
import { incrementCounters } from '#areas/counters/increments.ts'
import { emitInner } from '#areas/events/event.ts'
import { shown as shownAsset } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Media } from '#kernel/database/tables.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { requireUnchanged } from '#kernel/etag.ts'
import { newId } from '#kernel/ids.ts'
import { may } from '#kernel/permissions.ts'
import { insertWithin, reserveQuota } from '#kernel/quotas/quotas.ts'
import { requireCampaign } from '../campaign/campaign.ts'
import { publishingIds, publishingQuotas } from '../declarations.ts'
import { withdrawUnsent } from '../post/post-end.ts'
import { addTags, setTags, tagIdsOf } from '../tag.ts'
import { get, type MessageRow, shown, visible } from './message.ts'
import { checkContent, contentFields, contentOf, derivedColumns } from './message-content.ts'
import { addMedia, findMedia, mediaOf, requireMedia, setMedia } from './message-media.ts'
import { followMessage, lockCampaignsOfPosts, refuseOtherNetwork, requireMayChangeMessage } from './message-posts.ts'
import type { MessageChanges, MessageDraft } from './message-shape.ts'

export const maxTags = 128
const noAttachment = { linkUrl: '', linkTitle: '', description: '', imageUrl: '' }

export async function create(context: Context, { tagIds, ...draft }: MessageDraft) {
  const written = await insertMessage(context, draft)
  await attachMedia(context, written)
  await addToCampaign(context, [written.row], tagIds)
  return newMessageView(context, written)
}

export interface NewMessage {
  row: MessageRow
  media: readonly Selectable<Media>[]
}

/** Inserts a message without related rows: media are locked after messages, tags and counters after everything else the caller locks. */
export async function insertMessage(
  context: Context,
  { campaignId, media: mediaIds = [], title = '', ...draft }: Omit<MessageDraft, 'tagIds'>,
): Promise<NewMessage> {
  const { db, accountId, userId, now } = context
  await requireCampaign(context, campaignId)
  const media = await findMedia(context, mediaIds)
  const content = { ...noAttachment, ...draft, subject: title }
  const type = checkContent(content, media)
  const existing = () => db.selectFrom('messages').where('accountId', '=', accountId).where('deleted', 'is', null)
  const id = newId(publishingIds.message, now)
  const made = { accountId, id, created: now, modified: now, createdBy: userId, modifiedBy: userId, campaignId, type }
  const columns = { ...made, ...content, ...derivedColumns(content) }
  const row = await insertWithin(context, publishingQuotas.messages, existing, { into: 'messages', row: columns })
  return { row, media }
}

/** Attaches the media a new message was validated with; refuses if one was deleted since. */
export async function attachMedia(context: Context, { row, media }: NewMessage) {
  const ids = media.map(({ id }) => id)
  await requireMedia(context, ids)
  await addMedia(context, row.id, ids)
}

/** The API response for a new message. */
export const newMessageView = (context: Context, { row, media }: NewMessage) => ({
  ...shown(row),
  media: media.map((asset) => shownAsset(context, asset)),
})

/** Adds tags to new messages of one campaign, by default those of the campaign, and updates the counters. */
export async function addToCampaign(
  context: Context,
  messages: readonly Pick<MessageRow, 'id' | 'campaignId'>[],
  tagIds: readonly string[] = [],
) {
  const [first] = messages
  if (!first) return
  const tags = tagIds.length > 0 ? tagIds : await tagIdsOf(context, first.campaignId)
  for (const { id } of messages) await addTags(context, id, tags, maxTags)
  const of = { campaign: first.campaignId }
  await incrementCounters(context, [{ name: 'messages', at: context.now, of, amount: messages.length }])
}

/** Omitted fields stay; the result is validated as a whole. */
export async function update(
  context: Context,
  { id, tagIds, media: mediaIds, campaignId, title, ...changes }: MessageChanges,
) {
  const { db, accountId, userId, now } = context
  const given = { ...changes, ...(title !== undefined && { subject: title }) }
  const mayChange = [mediaIds, campaignId, ...Object.values(given)].some((one) => one !== undefined)
  if (campaignId !== undefined) await requireCampaign(context, campaignId)
  if (mayChange) await lockCampaignsOfPosts(context, id, campaignId === undefined ? [] : [campaignId])
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
  const type = checkContent(content, media)
  if (content.network !== before.network) await refuseOtherNetwork(context, before)
  await db
    .updateTable('messages')
    .set({ ...content, ...derivedColumns(content), type, modified: now, modifiedBy: userId })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  if (mediaIds) await setMedia(context, id, mediaIds)
  if (campaignId !== undefined && campaignId !== before.campaignId) await moveMessage(context, before, campaignId)
  const contentChanged =
    joinIds(media) !== joinIds(mediaBefore) || contentFields.some((field) => content[field] !== before[field])
  if (contentChanged) {
    await followMessage(context, { id, network: content.network })
    await emitInner(context, 'messageChanged', { messageId: id, mayApprove: may(context.role, 'approve') })
  }
  if (tagIds) await setTags(context, id, tagIds, maxTags)
  return get(context, { id })
}

const joinIds = (media: readonly { id: string }[]) => media.map(({ id }) => id).join()

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
  await incrementCounters(context, [{ name: 'messages', at: now, of: { campaign: message.campaignId }, amount: -1 }])
}

/** Moves a message locked by the caller to another campaign; posts created from it stay in theirs. */
export async function moveMessage(context: Context, { id, campaignId: from }: MessageRow, to: string) {
  const { db, accountId, now } = context
  await db
    .updateTable('messages')
    .set({ campaignId: to })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  await moveItems(context, id, to)
  await incrementCounters(context, [
    { name: 'messages', at: now, of: { campaign: from }, amount: -1 },
    { name: 'messages', at: now, of: { campaign: to } },
  ])
}

/** Marks messages that a board offers to advocates. The mark is permanent, even if the board stops offering them. */
export async function markAsBoardMessages({ db, accountId }: Context, ids: readonly string[]) {
  if (ids.length === 0) return
  const marking = db
    .updateTable('messages')
    .set({ isBoardMessage: true })
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`id = any (${ids})`)
    .where('isBoardMessage', '=', false)
  await later(db, marking)
}

type Text = Pick<MessageRow, 'network' | 'message'>

/**
 * Inserts text-only messages that a board offers and returns their ids; refuses texts that violate a rule of the network. They get no tags,
 * since those would be locked before other rows the caller needs; the caller updates the counters last, with `countMessages`.
 */
export async function insertBoardMessages(
  context: Context,
  campaignId: string,
  texts: readonly Text[],
): Promise<string[]> {
  if (texts.length === 0) return []
  const { db, accountId, userId, now } = context
  const existing = db.selectFrom('messages').where('accountId', '=', accountId).where('deleted', 'is', null)
  await reserveQuota(context, publishingQuotas.messages, existing, texts.length)
  const rows = texts.map((text) => {
    const content = { ...noAttachment, ...text, subject: '' }
    const made = { accountId, id: newId(publishingIds.message, now), created: now, modified: now, createdBy: userId }
    const about = { modifiedBy: userId, campaignId, type: checkContent(content, []), isBoardMessage: true }
    return { ...made, ...about, ...content, ...derivedColumns(content) }
  })
  await db.insertInto('messages').values(rows).execute()
  return rows.map(({ id }) => id)
}

export const countMessages = (context: Context, campaign: string, amount: number) =>
  incrementCounters(context, amount === 0 ? [] : [{ name: 'messages', at: context.now, of: { campaign }, amount }])
