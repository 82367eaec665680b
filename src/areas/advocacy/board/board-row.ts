import type { Selectable } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import type { Boards } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'

export type BoardRow = Selectable<Boards>

/** The boards that the caller's teams may see. */
export const visibleBoards = (context: Context) =>
  context.db.selectFrom('boards').where('accountId', '=', context.accountId).where(withinTeams(context, 'boards.id'))

/** A board that the caller may see, archived or not. */
export async function requireBoard(context: Context, id: string): Promise<BoardRow> {
  const board = await visibleBoards(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!board) throw missing('Board')
  return board
}
