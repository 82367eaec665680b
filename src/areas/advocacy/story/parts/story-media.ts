import { type SqlBool, sql } from 'kysely'
import { holdMedia, shown } from '#areas/media/asset/asset.ts'
import { requireMedia } from '#areas/publishing/message/message-media.ts'
import { addTags, setTags } from '#areas/publishing/tag.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'

const most = 20

type Asset = ReturnType<typeof shown>

/** Validates and locks a story's assets, up to the maximum. */
export async function requireStoryMedia(context: Context, mediaIds: readonly string[]) {
  if (mediaIds.length > most) throw invalid(`mediaIds must not hold more than ${most} ids.`)
  await requireMedia(context, mediaIds, 'mediaIds')
}

/** Sets the assets of a story. */
export async function setMedia({ db, accountId }: Context, storyId: string, mediaIds: readonly string[]) {
  await db.deleteFrom('storyMedia').where('accountId', '=', accountId).where('storyId', '=', storyId).execute()
  if (mediaIds.length === 0) return
  const rows = mediaIds.map((mediaId, position) => ({ accountId, storyId, position, mediaId }))
  await db.insertInto('storyMedia').values(rows).execute()
}

/** Locks the media of a story and of its messages against deletion. */
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

/** Assets of each story, in order. */
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

const mostTags = 64

/** Tags a story; unknown ids are ignored. */
export const tagStory = async (context: Context, storyId: string, tagIds: readonly string[]) =>
  addTags(context, storyId, await known(context, tagIds), mostTags)

/** The same, replacing existing tags. */
export const retagStory = async (context: Context, storyId: string, tagIds: readonly string[]) =>
  setTags(context, storyId, await known(context, tagIds), mostTags)

async function known({ db, accountId }: Context, tagIds: readonly string[]): Promise<string[]> {
  if (tagIds.length === 0) return []
  const rows = await db
    .selectFrom('tags')
    .select('id')
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`id = any (${tagIds})`)
    .execute()
  return rows.map(({ id }) => id)
}
