import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'
import type { StoryRow } from '../story/story-row.ts'

/** What a board's advocates may share at this moment: approved, published, not expired. */
export const openStories = ({ db, accountId, now }: Context, boardId: string) =>
  db
    .selectFrom('stories')
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('status', '=', sql.lit('approved'))
    .where('publishDate', '<=', now)
    .where('expirationDate', '>', now)

/** One that a parameter names. */
export async function requireOpenStory(context: Context, boardId: string, storyId: string): Promise<StoryRow> {
  const story = await openStories(context, boardId).selectAll().where('id', '=', storyId).executeTakeFirst()
  if (!story) throw notThere(storyId)
  return story
}

/** The same, held: whoever plans another share of it, or gives away its variants, waits. */
export async function holdOpenStory(context: Context, boardId: string, storyId: string): Promise<StoryRow> {
  const story = await openStories(context, boardId)
    .selectAll()
    .where('id', '=', storyId)
    .modifyEnd(heldRows('stories', 'no key update'))
    .executeTakeFirst()
  if (!story) throw notThere(storyId)
  return story
}

const notThere = (storyId: string) =>
  invalid(`storyId names no story that can be shared on this board now: "${storyId.slice(0, 40)}".`)

/** The post that a repost story shares again, by its id at the network; empty for others. */
export async function repostOf({ db, accountId }: Context, { postlogId }: StoryRow): Promise<string> {
  if (postlogId === '') return ''
  const postlog = await db
    .selectFrom('postlogs')
    .select('remoteId')
    .where('accountId', '=', accountId)
    .where('id', '=', postlogId)
    .executeTakeFirst()
  return postlog?.remoteId ?? ''
}
