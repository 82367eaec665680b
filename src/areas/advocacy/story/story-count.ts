import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { hintStories, isRepost, type StoryRow } from './story-row.ts'

/** What a story is counted by, and told of. */
type Counted = Pick<StoryRow, 'id' | 'boardId' | 'createdBy' | 'phase' | 'isFeatured' | 'type' | 'isApproved'>

/**
 * To be called by whoever has changed stories: `before` is counted no longer, `after` is, so that the totals of lists stay true; and whoever
 * looks at any of them hears of it.
 */
export async function storiesChanged(context: Context, before: readonly Counted[], after: readonly Counted[]) {
  hintStories(context, before)
  hintStories(context, after)
  await countStories(context, before, after)
}

async function countStories({ db, accountId }: Context, before: readonly Counted[], after: readonly Counted[]) {
  const changes = changesOf(before, after)
  if (changes.length === 0) return
  const column = <Value>(read: (change: Change) => Value) => changes.map(read)
  const counting = sql`
    insert into story_counts (account_id, board_id, created_by, phase, is_featured, is_repost, is_approved, stories)
    select ${accountId}, * from unnest(${column((one) => one.boardId)}::text[], ${column((one) => one.createdBy)}::text[],
      ${column((one) => one.phase)}::text[], ${column((one) => one.isFeatured)}::boolean[],
      ${column((one) => one.isRepost)}::boolean[], ${column((one) => one.isApproved)}::boolean[],
      ${column((one) => one.stories)}::int[])
    on conflict (account_id, board_id, created_by, phase, is_featured, is_repost, is_approved)
    do update set stories = story_counts.stories + excluded.stories
    returning 1`
  await later(db, counting)
}

interface Change extends Omit<Counted, 'id' | 'type'> {
  isRepost: boolean
  stories: number
}

/** What remains when both sides are set off against each other, always in the same order. */
function changesOf(before: readonly Counted[], after: readonly Counted[]): Change[] {
  const changes = new Map<string, Change>()
  const add = ({ boardId, createdBy, phase, isFeatured, type, isApproved }: Counted, stories: number) => {
    const kind = { boardId, createdBy, phase, isFeatured, isRepost: isRepost({ type }), isApproved }
    const key = Object.values(kind).join(' ')
    const known = changes.get(key)?.stories ?? 0
    changes.set(key, { ...kind, stories: known + stories })
  }
  for (const story of before) add(story, -1)
  for (const story of after) add(story, 1)
  return [...changes]
    .filter(([, { stories }]) => stories !== 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, change]) => change)
}
