import type { Context } from '#kernel/context.ts'
import { storiesChanged } from '../story-count.ts'
import { phaseAt, type StoryRow, type WrittenStory } from '../story-row.ts'

/** Changes a story, which the caller holds, and keeps the counts. */
export async function changeStory(
  context: Context,
  before: StoryRow,
  changes: Partial<WrittenStory>,
): Promise<StoryRow> {
  const { db, accountId, userId, now } = context
  const after = await db
    .updateTable('stories')
    // The rules of approval and jobs change stories as well, but they are nobody who edits them.
    .set({
      ...changes,
      ...phaseAt({ ...before, ...changes }, now),
      ...{ modified: now, ...(userId && { modifiedBy: userId }) },
    })
    .where('accountId', '=', accountId)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await storiesChanged(context, [before], [after])
  return after
}
