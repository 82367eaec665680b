import type { Selectable } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { Boards } from '#kernel/database/tables.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { isId } from '#kernel/ids.ts'

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

/** Refuses a board that a parameter names and that is not there, or that may not be seen. */
export async function requireNamedBoard(context: Context, id: string): Promise<BoardRow> {
  const board = await visibleBoards(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!board) throw invalid(`boardId names no board: "${id.slice(0, 40)}".`)
  return board
}

/** The boards of these ids as they are, until the transaction ends: whoever comes to one or leaves it meanwhile waits. */
export const holdBoards = ({ db, accountId }: Context, ids: readonly string[]): Promise<BoardRow[]> =>
  db
    .selectFrom('boards')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .modifyEnd(heldRows('boards', 'no key update'))
    .execute()

/** Refuses what makes no sense on a board that nobody can open. */
export function refuseArchived({ status, name }: Pick<BoardRow, 'status' | 'name'>) {
  if (status === 'archived') throw conflict(`The board "${name}" is archived. Make it active first.`)
}

export const hintBoard = ({ hint }: Context, id: string) => hint({ kind: 'board', id, parent: null, scope: id })

export const watchedBoards: Watched = {
  kind: 'board',
  isId: (id) => isId('board', id),
  async find(context, id) {
    const board = await visibleBoards(context).select('id').where('id', '=', id).executeTakeFirst()
    return board && { parent: null, scope: id }
  },
}
