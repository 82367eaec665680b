import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { type BoardRow, requireBoard, visibleBoards } from './board-row.ts'
import { hourInUtc } from './notification-time.ts'

export const get = async (context: Context, { id }: { id: string }) => shown(context, await requireBoard(context, id))

export async function search(context: Context, { page }: { page: Page }) {
  const { items, total } = await paginate(visibleBoards(context).selectAll(), page)
  return { items: items.map((board) => shown(context, board)), total }
}

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
