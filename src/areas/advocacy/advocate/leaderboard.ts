import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { type BoardRow, holdBoards } from '../board/board-row.ts'
import { requireMembership } from './membership.ts'

/** Leaderboard of a board with the caller's rank. */
export async function get(context: Context, { id: boardId }: { id: string }) {
  const { board } = await requireMembership(context, boardId)
  if (!board.leaderboardEnabled) throw missing('Leaderboard')
  const first = await ranked(context, boardId).orderBy('r.rank').orderBy('r.userId').limit(mostLeaders).execute()
  const mine = await ranked(context, boardId).where('r.userId', '=', context.userId).executeTakeFirst()
  return { period: board.leaderboardPeriod, leaders: first, mine }
}

export interface Ranking {
  id: string
  name: string
  rank: number
  points: number
  period: string
}

/** Rank of each on a board's leaderboard; undefined without points. */
export async function leaderboardsOf(
  { db, accountId }: Context,
  { id, name, leaderboardEnabled, leaderboardPeriod: period }: BoardRow,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Ranking[]>> {
  if (!leaderboardEnabled || userIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('boardRanks')
    .select(['userId', 'rank', 'points'])
    .where('accountId', '=', accountId)
    .where('boardId', '=', id)
    .where('userId', 'in', userIds)
    .execute()
  return new Map(rows.map(({ userId, rank, points }) => [userId, [{ id, name, rank, points, period }]]))
}

const mostLeaders = 50

const ranked = ({ db, accountId }: Context, boardId: string) =>
  db
    .selectFrom('boardRanks as r')
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 'r.userId'))
    .select(['u.id', 'u.name', 'r.rank', 'r.points', 'r.shares', 'r.clicks', 'r.converts'])
    .where('r.accountId', '=', accountId)
    .where('r.boardId', '=', boardId)

/** Points per share, per click on one, and per conversion. */
const points = { shares: 10, clicks: 1, converts: 25 } as const

type Period = BoardRow['leaderboardPeriod']

/** First day of a board's leaderboard period; days are UTC, weeks start on Monday. */
function periodStart(period: Period, now: Date): string {
  const [year, month, date] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const first = {
    week: () => Date.UTC(year, month, date - ((now.getUTCDay() + 6) % 7)),
    month: () => Date.UTC(year, month, 1),
    quarter: () => Date.UTC(year, month - (month % 3), 1),
    year: () => Date.UTC(year, 0, 1),
    all: () => Date.UTC(1970, 0, 1),
  }[period as 'week' | 'month' | 'quarter' | 'year' | 'all']
  return new Date(first()).toISOString().slice(0, 10)
}

interface Outdated {
  id: string
  period: Period
  since: string
  counted: number
}

/** Boards with new activity since their ranks were computed, or with a new period. */
export async function outdatedRankings({ db, accountId, now }: Context): Promise<Outdated[]> {
  const { rows } = await sql<
    Omit<Outdated, 'since'> & { before: string | null; ranked: number | null; was: string | null }
  >`
    select b.id, b.leaderboard_period as period, r.since::text as before, r.counted as ranked, r.period as was,
      coalesce((select sum(f.value) from counters f where f.account_id = ${accountId} and f.of_kind = 'board' and f.of_id = b.id), 0)::bigint as counted
    from boards b left join board_rankings r on r.account_id = ${accountId} and r.board_id = b.id
    where b.account_id = ${accountId} and b.status = 'active' and b.leaderboard_enabled order by b.id`.execute(db)
  return rows.flatMap(({ before, ranked, was, ...board }) => {
    const since = periodStart(board.period, now)
    const isNew = ranked !== Number(board.counted) || before !== since || was !== board.period
    return isNew ? [{ ...board, counted: Number(board.counted), since }] : []
  })
}

/** Computes the ranks of a board. Equal points share a rank; advocates without points have none. */
export async function computeRanks({ db, accountId }: Context, { id, period, since, counted }: Outdated) {
  // Counter names of advocates start with the board id; with byte order nothing else is in this range.
  const [first, last] = [`${id} `, `${id}!`]
  const sums = sql`
    select substr(f.of_id, ${first.length + 1}::int) as user_id,
      coalesce(sum(f.value) filter (where f.name = 'shares'), 0) as shares,
      coalesce(sum(f.value) filter (where f.name = 'clicks'), 0) as clicks,
      coalesce(sum(f.value) filter (where f.name = 'converts'), 0) as converts
    from daily_rollups f where f.account_id = ${accountId} and f.of_kind = 'advocate' and f.of_id >= ${first} and f.of_id < ${last}
      and f.day >= ${since}::date group by f.of_id`
  await sql`delete from board_ranks where account_id = ${accountId} and board_id = ${id}`.execute(db)
  await sql`
    insert into board_ranks (account_id, board_id, user_id, rank, points, shares, clicks, converts)
    select ${accountId}, ${id}, r.user_id, rank() over (order by r.points desc), r.points, r.shares, r.clicks, r.converts
    from (
      select s.*, s.shares * ${points.shares}::int + s.clicks * ${points.clicks}::int + s.converts * ${points.converts}::int as points
      from (${sums}) s
      join board_members m on m.account_id = ${accountId} and m.board_id = ${id} and m.user_id = s.user_id) r
    where r.points > 0 returning user_id`.execute(db)
  const row = { accountId, boardId: id, period, since, counted }
  await db
    .insertInto('boardRankings')
    .values(row)
    .onConflict((on) =>
      on.columns(['accountId', 'boardId']).doUpdateSet({
        period: sql`excluded.period`,
        since: sql`excluded.since`,
        counted: sql`excluded.counted`,
      }),
    )
    .execute()
}

/** Recomputes leaderboards with new activity at most once a minute, since lists of advocates include ranks. */
export const rankAdvocatesJob = job<Record<string, never>>('advocacy.rank-advocates', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      for (const board of await context.transaction(id, outdatedRankings)) {
        if (context.signal.aborted) return
        await context.transaction(id, async (inside) => {
          // Serializes concurrent computations.
          await holdBoards(inside, [board.id])
          await computeRanks(inside, board)
        })
      }
    }),
})
