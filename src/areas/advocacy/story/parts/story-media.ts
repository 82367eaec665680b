import { type SqlBool, sql } from 'kysely'
import { shown } from '#areas/media/asset/asset.ts'
import { holdMedia } from '#areas/media/asset/media-hold.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'

const most = 20

type Asset = ReturnType<typeof shown>

/** The assets that a parameter names, held; refuses one that is not there. */
export async function requireMedia({ db, accountId }: Context, mediaIds: readonly string[]) {
  if (mediaIds.length > most) throw invalid(`mediaIds must not hold more than ${most} ids.`)
  if (mediaIds.length === 0) return
  const found = await db
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`id = any (${mediaIds})`)
    .orderBy('id')
    .modifyEnd(heldRows('media', 'key share'))
    .execute()
  const absent = mediaIds.find((id) => !found.some((asset) => asset.id === id))
  if (absent) throw invalid(`mediaIds names ${absent}, but there is no such asset.`)
}

/** Gives a story exactly these assets. */
export async function setMedia({ db, accountId }: Context, storyId: string, mediaIds: readonly string[]) {
  await db.deleteFrom('storyMedia').where('accountId', '=', accountId).where('storyId', '=', storyId).execute()
  if (mediaIds.length === 0) return
  const rows = mediaIds.map((mediaId, position) => ({ accountId, storyId, position, mediaId }))
  await db.insertInto('storyMedia').values(rows).execute()
}

/** Keeps what a story shows from being deleted: its own media, and those of its messages. */
export async function holdStoryMedia(context: Context, storyId: string) {
  const { db, accountId } = context
  const { rows } = await sql<{ mediaId: string }>`
    select m.id as media_id from media m where m.account_id = ${accountId} and m.id in (
      select s.media_id from story_media s where s.account_id = ${accountId} and s.story_id = ${storyId}
      union all
      select a.media_id from message_media a join story_messages s on s.account_id = ${accountId} and s.message_id = a.message_id
      where a.account_id = ${accountId} and s.story_id = ${storyId})`.execute(db)
  await holdMedia(
    context,
    storyId,
    rows.map(({ mediaId }) => mediaId),
    'a story',
  )
}

/** The assets of each story, in their order. */
export async function mediaOf(context: Context, storyIds: readonly string[]): Promise<Map<string, Asset[]>> {
  const media = new Map<string, Asset[]>(storyIds.map((id) => [id, []]))
  if (storyIds.length === 0) return media
  const { db, accountId } = context
  const rows = await db
    .selectFrom('storyMedia')
    .innerJoin('media', (join) =>
      join.on('media.accountId', '=', accountId).onRef('media.id', '=', 'storyMedia.mediaId'),
    )
    .selectAll('media')
    .select('storyMedia.storyId')
    .where('storyMedia.accountId', '=', accountId)
    .where('storyMedia.storyId', 'in', storyIds)
    .orderBy('storyMedia.position')
    .execute()
  for (const { storyId, ...asset } of rows) media.get(storyId)?.push(shown(context, asset))
  return media
}
