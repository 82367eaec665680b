import { type SqlBool, sql } from 'kysely'
import { addTags, setTags } from '#areas/publishing/tag/tagging.ts'
import type { Context } from '#kernel/context.ts'

export const mostTags = 64

/** Gives a story the tags among these ids; what names none is passed over. */
export const tagStory = async (context: Context, storyId: string, tagIds: readonly string[]) =>
  addTags(context, storyId, await known(context, tagIds), mostTags)

/** The same for one that may have others. */
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
