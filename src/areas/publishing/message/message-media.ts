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

/** The assets a parameter names, in its order, held: nobody deletes one meanwhile. Refuses one that is not there. */
export async function requireMedia(context: Context, mediaIds: readonly string[], name = 'media') {
  if (mediaIds.length === 0) return []
  return inOrder(mediaIds, await named(context, mediaIds).modifyEnd(heldRows('media', 'key share')).execute(), name)
}

/** The same without holding them. */
export async function findMedia(context: Context, mediaIds: readonly string[]) {
  return mediaIds.length === 0 ? [] : inOrder(mediaIds, await named(context, mediaIds).execute(), 'media')
}

const named = ({ db, accountId }: Context, mediaIds: readonly string[]) =>
  db.selectFrom('media').selectAll().where('accountId', '=', accountId).where('id', 'in', mediaIds).orderBy('id')

function inOrder(mediaIds: readonly string[], found: readonly Selectable<Media>[], name: string): Selectable<Media>[] {
  return mediaIds.map((id) => {
    const asset = found.find((one) => one.id === id)
    if (!asset) throw invalid(`${name} names ${id}, but there is no such asset.`)
    return asset
  })
}
