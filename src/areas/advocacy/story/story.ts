import { type Selectable, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Stories } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { advocacyChanges, advocacyIds } from '../declarations.ts'

export type StoryRow = Selectable<Stories>
/** Writable columns; alt texts aren't supported yet. */
export type WrittenStory = Omit<StoryRow, 'altTexts'>

/** Stories are visible to users who see their board. */
export const visible = (context: Context) =>
  context.db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where(withinTeams(context, 'stories.board_id'))

export async function requireStory(context: Context, id: string): Promise<StoryRow> {
  const story = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!story) throw missing('Story')
  return story
}

/** Locks a story until commit. Its messages and media precede it in the lock order. */
export async function holdStory(context: Context, id: string): Promise<StoryRow> {
  const story = await visible(context).where('id', '=', id).modifyEnd(lockRows('stories', 'update')).executeTakeFirst()
  if (!story) throw missing('Story')
  return story
}

type Dated = Pick<StoryRow, 'status' | 'publishDate' | 'expirationDate'>

/** Phase of a story at a time, and when the next one starts. */
export function phaseAt(
  { status, publishDate, expirationDate }: Dated,
  now: Date,
): Pick<StoryRow, 'phase' | 'phaseEnds'> {
  if (status !== 'approved') return { phase: status, phaseEnds: null }
  if (publishDate > now) return { phase: 'scheduled', phaseEnds: publishDate }
  return expirationDate > now
    ? { phase: 'published', phaseEnds: expirationDate }
    : { phase: 'expired', phaseEnds: null }
}

export const isRepost = ({ type }: Pick<StoryRow, 'type'>) => type === 'post-attachment'

/** Notifies both boards of a moved story. */
export function notifyStoriesChanged({ notifyChange }: Context, stories: readonly Pick<StoryRow, 'id' | 'boardId'>[]) {
  for (const { id, boardId } of stories)
    notifyChange({ kind: advocacyChanges.story, id, parent: boardId, scope: boardId })
}

export const watchedStories: PresenceKind = {
  kind: advocacyChanges.story,
  reference: advocacyIds.story,
  async find(context, id) {
    const story = await visible(context).where('id', '=', id).executeTakeFirst()
    return story && { parent: story.boardId, scope: story.boardId }
  },
}

/** Columns that stories are counted and notified by. */
type Counted = Pick<StoryRow, 'id' | 'boardId' | 'createdBy' | 'phase' | 'isFeatured' | 'type' | 'isApproved'>

/** Call after changing stories: updates the counters of lists from `before` to `after`, and sends change notifications. */
export async function storiesChanged(context: Context, before: readonly Counted[], after: readonly Counted[]) {
  notifyStoriesChanged(context, before)
  notifyStoriesChanged(context, after)
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

/** Net changes of both sides, in a fixed order. */
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

/** Updates a locked story and its counters. */
export async function changeStory(
  context: Context,
  before: StoryRow,
  changes: Partial<WrittenStory>,
): Promise<StoryRow> {
  const { db, accountId, userId, now } = context
  const after = await db
    .updateTable('stories')
    // Changes by approval rules and jobs don't count as edits.
    .set({
      ...changes,
      ...phaseAt({ ...before, ...changes }, now),
      modified: now,
      ...(userId && { modifiedBy: userId }),
    })
    .where('accountId', '=', accountId)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await storiesChanged(context, [before], [after])
  return after
}

const atOnce = 500

/** Moves due stories to their next phase. Lists are correct without it; it only keeps their queries fast. */
export const turnStoriesJob = job<Record<string, never>>('advocacy.advance-stories', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      while (!context.signal.aborted && (await context.transaction(id, updatePhases)) === atOnce);
    }),
})

async function updatePhases(context: Context): Promise<number> {
  const { db, accountId, now } = context
  const stories = await db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('phaseEnds', '<=', now)
    .orderBy('id')
    .limit(atOnce)
    .modifyEnd(lockRows('stories', 'no key update'))
    .execute()
  if (stories.length === 0) return 0
  const updated = stories.map((story) => ({ ...story, ...phaseAt(story, now) }))
  await sql`
    update stories s set phase = t.phase, phase_ends = t.phase_ends
    from unnest(${updated.map(({ id }) => id)}::text[], ${updated.map(({ phase }) => phase)}::text[],
      ${updated.map(({ phaseEnds }) => phaseEnds)}::timestamptz[]) as t (id, phase, phase_ends)
    where s.account_id = ${accountId} and s.id = t.id`.execute(db)
  await storiesChanged(context, stories, updated)
  return stories.length
}
