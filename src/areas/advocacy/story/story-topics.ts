import { type SqlBool, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { addTags, setTags } from '#areas/publishing/tag.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'

/** Text of the contract. */
const without = 'The story cannot be saved without Topics'
const notOfBoard = "Provided Topics don't match Board existing topics"

/** Adds the topics of a new story: topics of its board, at least one if it has any. Locks them, so it comes late in the lock order. */
export async function addTopics(context: Context, storyId: string, boardId: string, topicIds: readonly string[]) {
  await requireTopics(context, boardId, topicIds)
  await insertTopics(context, storyId, topicIds)
  await countUse(context, [], topicIds)
}

/**
 * Sets the topics of a changed, locked story: the given ones, or else its own. Topics of another board
 * are removed.
 */
export async function setTopics(
  context: Context,
  story: { id: string; boardId: string },
  { given, isJudged }: { given: readonly string[] | undefined; isJudged: boolean },
) {
  if (given === undefined && !isJudged) return
  const { db, accountId } = context
  const before = await db
    .selectFrom('storyTopics')
    .innerJoin('topics', (join) =>
      join.on('topics.accountId', '=', accountId).onRef('topics.id', '=', 'storyTopics.topicId'),
    )
    .select(['topics.id', 'topics.boardId'])
    .where('storyTopics.accountId', '=', accountId)
    .where('storyTopics.storyId', '=', story.id)
    .execute()
  const after = given ?? before.filter(({ boardId }) => boardId === story.boardId).map(({ id }) => id)
  const had = before.map(({ id }) => id)
  await requireTopics(context, story.boardId, after, had)
  await db.deleteFrom('storyTopics').where('accountId', '=', accountId).where('storyId', '=', story.id).execute()
  await insertTopics(context, story.id, after)
  await countUse(context, had, after)
}

/** Decrements the topic counters of a story to be deleted. */
export async function leaveTopics(context: Context, storyId: string) {
  const { db, accountId } = context
  const rows = await db
    .selectFrom('storyTopics')
    .select('topicId')
    .where('accountId', '=', accountId)
    .where('storyId', '=', storyId)
    .execute()
  const ids = rows.map(({ topicId }) => topicId)
  await holdTopics(context, ids)
  await countUse(context, ids, [])
}

/** Topic names of each story, sorted. */
export async function topicsOf(
  { db, accountId }: Context,
  storyIds: readonly string[],
): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>(storyIds.map((id) => [id, []]))
  if (storyIds.length === 0) return names
  const rows = await db
    .selectFrom('storyTopics')
    .innerJoin('topics', (join) =>
      join.on('topics.accountId', '=', accountId).onRef('topics.id', '=', 'storyTopics.topicId'),
    )
    .select(['storyTopics.storyId', 'topics.name'])
    .where('storyTopics.accountId', '=', accountId)
    .where('storyTopics.storyId', 'in', storyIds)
    .orderBy('topics.name')
    .execute()
  for (const { storyId, name } of rows) names.get(storyId)?.push(name)
  return names
}

/** Topics whose board is visible to the caller. */
export const visibleTopics = (context: Context, ids: readonly string[]) =>
  context.db
    .selectFrom('topics')
    .select(['id', 'boardId'])
    .where('accountId', '=', context.accountId)
    .where(sql<SqlBool>`id = any (${ids})`)
    .where(withinTeams(context, 'topics.board_id'))
    .execute()

/** Rejects topics of other boards, and an empty list if the board has topics. Locks current and previous ones. */
async function requireTopics(
  context: Context,
  boardId: string,
  topicIds: readonly string[],
  others: readonly string[] = [],
) {
  const { db, accountId } = context
  await refuseOtherTopics(context, boardId, topicIds, others)
  if (topicIds.length > 0) return
  const some = await db
    .selectFrom('topics')
    .select('id')
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .limit(1)
    .executeTakeFirst()
  if (some) throw invalid(without)
}

/** Rejects topics of other boards; locks them and the others. */
export async function refuseOtherTopics(
  context: Context,
  boardId: string,
  topicIds: readonly string[],
  others: readonly string[] = [],
) {
  const held = await holdTopics(context, [...topicIds, ...others])
  const ofBoard = new Set(held.filter((topic) => topic.boardId === boardId).map(({ id }) => id))
  if (topicIds.some((id) => !ofBoard.has(id))) throw invalid(notOfBoard)
}

const holdTopics = ({ db, accountId }: Context, ids: readonly string[]) =>
  ids.length === 0
    ? []
    : db
        .selectFrom('topics')
        .select(['id', 'boardId'])
        .where('accountId', '=', accountId)
        .where(sql<SqlBool>`id = any (${[...new Set(ids)]})`)
        .orderBy('id')
        .modifyEnd(lockRows('topics', 'no key update'))
        .execute()

async function insertTopics({ db, accountId }: Context, storyId: string, topicIds: readonly string[]) {
  if (topicIds.length === 0) return
  const rows = topicIds.map((topicId) => ({ accountId, storyId, topicId }))
  await db.insertInto('storyTopics').values(rows).execute()
}

async function countUse({ db, accountId, now }: Context, before: readonly string[], after: readonly string[]) {
  const [left, added] = [before.filter((id) => !after.includes(id)), after.filter((id) => !before.includes(id))]
  const topics = (ids: readonly string[]) =>
    db.updateTable('topics').where('accountId', '=', accountId).where(sql<SqlBool>`id = any (${ids})`)
  if (left.length > 0) await topics(left).set({ used: sql`used - 1` }).execute()
  if (added.length > 0) await topics(added).set({ used: sql`used + 1`, lastUsed: now }).execute()
}

const mostTags = 64

/** Tags a story; unknown ids are ignored. */
export const tagStory = async (context: Context, storyId: string, tagIds: readonly string[]) =>
  addTags(context, storyId, await knownTags(context, tagIds), mostTags)

/** The same, replacing existing tags. */
export const retagStory = async (context: Context, storyId: string, tagIds: readonly string[]) =>
  setTags(context, storyId, await knownTags(context, tagIds), mostTags)

async function knownTags({ db, accountId }: Context, tagIds: readonly string[]): Promise<string[]> {
  if (tagIds.length === 0) return []
  const rows = await db
    .selectFrom('tags')
    .select('id')
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`id = any (${tagIds})`)
    .execute()
  return rows.map(({ id }) => id)
}
