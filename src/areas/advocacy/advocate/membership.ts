import type { Selectable } from 'kysely'
import { noteBoardLogin } from '#areas/account/user/advocate-user.ts'
import type { Context, Emitted } from '#kernel/context.ts'
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

const minute = 60_000

/** When somebody was last at a board whom nobody has seen there. */
export const never = new Date(0)

/** Notes that the caller is at a board, to the minute. */
export async function noteSeen(context: Context, boardId: string) {
  const { db, accountId, userId, now } = context
  const { numUpdatedRows } = await db
    .updateTable('boardMembers')
    .set({ lastSeen: now })
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('userId', '=', userId)
    .where('lastSeen', '<', new Date(now.getTime() - minute))
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await noteBoardLogin(context)
}

/** Whoever comes by a link that was mailed to them has accepted whatever they are invited to. */
export async function accept(context: Context, events: readonly Emitted<{ userId: string }>[]) {
  const { db, accountId, now } = context
  const userIds = events.map(({ data }) => data.userId)
  const accepted = await db
    .updateTable('boardMembers')
    .set({ accepted: now })
    .where('accountId', '=', accountId)
    .where('userId', 'in', userIds)
    .where('accepted', 'is', null)
    .returning(['boardId', 'userId'])
    .execute()
  for (const { boardId, userId } of accepted) hintAdvocate(context, boardId, userId)
}

export const hintAdvocate = ({ hint }: Context, boardId: string, userId: string) =>
  hint({ kind: 'advocate', id: userId, parent: boardId, scope: boardId })
