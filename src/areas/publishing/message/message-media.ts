import type { Selectable } from 'kysely'
import { shown } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { Media } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'

/** The assets of a message, in their order. */
export const mediaOf = async (context: Context, messageId: string) =>
  (await mediaOfAll(context, [messageId])).get(messageId) ?? []

/** The same for many messages, by their ids. */
export async function mediaOfAll(context: Context, messageIds: readonly string[]) {
  if (messageIds.length === 0) return new Map<string, ReturnType<typeof shown>[]>()
  const rows = await context.db
    .selectFrom('messageMedia')
    .innerJoin('media', (join) =>
      join.on('media.accountId', '=', context.accountId).onRef('media.id', '=', 'messageMedia.mediaId'),
    )
    .selectAll('media')
    .select('messageMedia.messageId')
    .where('messageMedia.accountId', '=', context.accountId)
    .where('messageMedia.messageId', 'in', messageIds)
    .orderBy('messageMedia.position')
    .execute()
  const media = new Map<string, ReturnType<typeof shown>[]>(messageIds.map((id) => [id, []]))
  for (const { messageId, ...asset } of rows) media.get(messageId)?.push(shown(context, asset))
  return media
}

/** Gives a message exactly these assets. */
export async function setMedia(context: Context, messageId: string, mediaIds: readonly string[]) {
  const { db, accountId } = context
  await db.deleteFrom('messageMedia').where('accountId', '=', accountId).where('messageId', '=', messageId).execute()
  await addMedia(context, messageId, mediaIds)
}

/** Gives a message that has none these assets. */
export async function addMedia({ db, accountId }: Context, messageId: string, mediaIds: readonly string[]) {
  if (mediaIds.length === 0) return
  const rows = mediaIds.map((mediaId, position) => ({ accountId, messageId, mediaId, position }))
  await db.insertInto('messageMedia').values(rows).execute()
}

/** The assets a parameter names, in its order; refuses one that is not there. */
export async function requireMedia(
  { db, accountId }: Context,
  mediaIds: readonly string[],
  name = 'media',
): Promise<Selectable<Media>[]> {
  if (mediaIds.length === 0) return []
  const found = await db
    .selectFrom('media')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', mediaIds)
    .orderBy('id')
    .modifyEnd(heldRows('media', 'key share'))
    .execute()
  return mediaIds.map((id) => {
    const asset = found.find((one) => one.id === id)
    if (!asset) throw invalid(`${name} names ${id}, but there is no such asset.`)
    return asset
  })
}
