import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { computeRanks, outdatedRankings } from './leaderboard.ts'

/** Recomputes leaderboards with new activity at most once a minute, since lists of advocates include ranks. */
export const rankAdvocatesJob = job<Record<string, never>>('advocacy.rank-advocates', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      for (const board of await context.transaction(id, outdatedRankings)) {
        if (context.signal.aborted) return
        await context.transaction(id, async (inside) => {
          await holdBoard(inside, board.id)
          await computeRanks(inside, board)
        })
      }
    }),
})

/** Serializes concurrent computations. */
const holdBoard = ({ db, accountId }: Context, id: string) =>
  db
    .selectFrom('boards')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .modifyEnd(lockRows('boards', 'no key update'))
    .execute()
