import type { Context } from '#kernel/context.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { type BoardRow, requireBoard, visibleBoards } from './board-row.ts'
import { hourInUtc } from './notification-time.ts'

export const get = async (context: Context, { id }: { id: string }) => shown(context, await requireBoard(context, id))

/** Terms are long: few boards are read at a time. */
export const search = (context: Context, { page }: { page: OpenPage }) =>
  paginateOrAll(context.db, visibleBoards(context).selectAll(), page, {
    size: 100,
    each: (boards) => boards.map((board) => shown(context, board)),
  })

/** As the contract shows a board. */
export function shown({ now }: Pick<Context, 'now'>, board: BoardRow) {
  const { id, name, status, created, members: usersCount } = board
  return {
    ...{ id, name, status, created, usersCount },
    config: {
      ...board,
      isAllowSuggestionsEnabled: board.allowsSuggestions,
      isLeaderboardEnabled: board.leaderboardEnabled,
      notificationsDay: board.notificationsDay === null ? null : String(board.notificationsDay),
      notificationsTimeUTC: hourInUtc(board, now),
    },
  }
}
