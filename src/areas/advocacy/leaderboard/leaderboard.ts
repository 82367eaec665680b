import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import { requireMembership } from '../advocate/membership.ts'

/** Who shares most on a board, and where the caller is. */
export async function get(context: Context, { id: boardId }: { id: string }) {
  const { board } = await requireMembership(context, boardId)
  if (!board.leaderboardEnabled) throw missing('Leaderboard')
  const first = await ranked(context, boardId).orderBy('r.rank').orderBy('r.userId').limit(shown).execute()
  const mine = await ranked(context, boardId).where('r.userId', '=', context.userId).executeTakeFirst()
  return { period: board.leaderboardPeriod, leaders: first, mine }
}

const shown = 50

const ranked = ({ db, accountId }: Context, boardId: string) =>
  db
    .selectFrom('boardRanks as r')
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 'r.userId'))
    .select(['u.id', 'u.name', 'r.rank', 'r.points', 'r.shares', 'r.clicks', 'r.converts'])
    .where('r.accountId', '=', accountId)
    .where('r.boardId', '=', boardId)
