import type { Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { BoardMembers } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import type { BoardRow } from '../board/board-row.ts'

type Member = Selectable<BoardMembers>

/** A board, and as what the caller is on it. */
export interface Membership {
  board: BoardRow
  member: Member
}

/** How the caller is on a board that is in use; teams do not matter to whoever was invited. Refuses everybody else as if it were not there. */
export async function requireMembership(context: Context, boardId: string): Promise<Membership> {
  const { db, accountId, userId } = context
  const member = await db
    .selectFrom('boardMembers')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('userId', '=', userId)
    .where('accepted', 'is not', null)
    .executeTakeFirst()
  const board = member && (await inUse(context).where('id', '=', boardId).executeTakeFirst())
  if (!member || !board) throw missing('Board')
  return { board, member }
}

const inUse = ({ db, accountId }: Context) =>
  db.selectFrom('boards').selectAll().where('accountId', '=', accountId).where('status', '=', 'active')
