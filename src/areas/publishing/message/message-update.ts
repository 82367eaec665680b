import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import { setTags } from '../tag/tagging.ts'
import { get, visible } from './message.ts'
import { judgeContent, lengthOf } from './message-content.ts'
import { type MessageExtras, mostTags } from './message-create.ts'
import { mediaOf, requireMedia, setMedia } from './message-media.ts'
import { followMessage, holdCampaignsOfPosts } from './message-posts.ts'

interface Changes extends MessageExtras {
  id: string
  message?: string | undefined
}

/** What is not given stays; the result is judged as a whole. */
export async function update(context: Context, { id, tagIds, media: mediaIds, title, ...given }: Changes) {
  const { db, accountId, userId, now } = context
  const saysOther =
    mediaIds !== undefined || title !== undefined || Object.values(given).some((one) => one !== undefined)
  if (saysOther) await holdCampaignsOfPosts(context, id)
  const before = await visible(context).where('id', '=', id).forUpdate('messages').executeTakeFirst()
  if (!before) throw missing('Message')
  const media = mediaIds ? await requireMedia(context, mediaIds) : await mediaOf(context, id)
  const content = {
    network: before.network,
    message: given.message ?? before.message,
    subject: title ?? before.subject,
    linkUrl: given.linkUrl ?? before.linkUrl,
    linkTitle: given.linkTitle ?? before.linkTitle,
    description: given.description ?? before.description,
    imageUrl: given.imageUrl ?? before.imageUrl,
  }
  const type = judgeContent(content, media)
  await db
    .updateTable('messages')
    .set({ ...content, messageLength: lengthOf(content), type, modified: now, modifiedBy: userId })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  if (mediaIds) await setMedia(context, id, mediaIds)
  if (tagIds) await setTags(context, id, tagIds, mostTags)
  if (saysOther) await followMessage(context, id)
  return get(context, { id })
}
