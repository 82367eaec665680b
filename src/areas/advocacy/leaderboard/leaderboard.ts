import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { forbidden, missing } from '#kernel/errors.ts'
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

/** Everybody on a board with what they did in its period, for who manages it; others see the leaderboard. */
export async function advocates(context: Context, { id: boardId, page }: { id: string; page: Page }) {
  const { member } = await requireMembership(context, boardId)
  if (member.role !== 'manager') throw forbidden('Only managers of the board see all of its advocates.')
  const { db, accountId } = context
  const members = db
    .selectFrom('boardMembers')
    .innerJoin('users', (join) =>
      join.on('users.accountId', '=', accountId).onRef('users.id', '=', 'boardMembers.userId'),
    )
    .leftJoin('boardRanks', (join) =>
      join
        .on('boardRanks.accountId', '=', accountId)
        .on('boardRanks.boardId', '=', boardId)
        .onRef('boardRanks.userId', '=', 'boardMembers.userId'),
    )
    .select(['users.id', 'users.name', 'users.email', 'boardMembers.role', 'boardMembers.lastSeen'])
    .select(sql<boolean>`board_members.accepted is not null`.as('isAccepted'))
    .select(({ fn, lit }) =>
      (['rank', 'points', 'shares', 'clicks', 'converts'] as const).map((name) =>
        fn.coalesce(`boardRanks.${name}`, lit(0)).as(name),
      ),
    )
    .where('boardMembers.accountId', '=', accountId)
    .where('boardMembers.boardId', '=', boardId)
  return paginate(members, page)
}

const ranked = ({ db, accountId }: Context, boardId: string) =>
  db
    .selectFrom('boardRanks as r')
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 'r.userId'))
    .select(['u.id', 'u.name', 'r.rank', 'r.points', 'r.shares', 'r.clicks', 'r.converts'])
    .where('r.accountId', '=', accountId)
    .where('r.boardId', '=', boardId)
