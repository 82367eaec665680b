import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { phaseAt, storiesChanged } from './story-row.ts'

const atOnce = 500

/** Moves due stories to their next phase. Lists are correct without it; it only keeps their queries fast. */
export const turnStoriesJob = job<Record<string, never>>('advocacy.turn-stories', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      while (!context.signal.aborted && (await context.transaction(id, turnSome)) === atOnce);
    }),
})

async function turnSome(context: Context): Promise<number> {
  const { db, accountId, now } = context
  const stories = await db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('turns', '<=', now)
    .orderBy('id')
    .limit(atOnce)
    .modifyEnd(lockRows('stories', 'no key update'))
    .execute()
  if (stories.length === 0) return 0
  const turned = stories.map((story) => ({ ...story, ...phaseAt(story, now) }))
  await sql`
    update stories s set phase = t.phase, turns = t.turns
    from unnest(${turned.map(({ id }) => id)}::text[], ${turned.map(({ phase }) => phase)}::text[],
      ${turned.map(({ turns }) => turns)}::timestamptz[]) as t (id, phase, turns)
    where s.account_id = ${accountId} and s.id = t.id`.execute(db)
  await storiesChanged(context, stories, turned)
  return stories.length
}
