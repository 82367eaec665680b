import { sql } from 'kysely'
import { holdUsers } from '#areas/account/user/advocate-user.ts'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { hintBoard, holdBoards } from '../board/board-row.ts'
import { hintAdvocate } from './membership.ts'

/** Takes somebody off boards, with what they chose there; their places are free. Tells whether they were on any of them. */
export async function leave(context: Context, userId: string, boardIds: readonly string[]): Promise<boolean> {
  await holdUsers(context, [], [userId])
  return leaveHeld(context, userId, boardIds)
}

/** Whoever is deleted leaves all boards. */
export async function leaveAll(context: Context, events: readonly Emitted<{ userId: string }>[]) {
  const { db, accountId } = context
  for (const { data } of events) {
    const rows = await db
      .selectFrom('boardMembers')
      .select('boardId')
      .where('accountId', '=', accountId)
      .where('userId', '=', data.userId)
      .execute()
    if (rows.length > 0)
      await leaveHeld(
        context,
        data.userId,
        rows.map(({ boardId }) => boardId),
      )
  }
}

async function leaveHeld(context: Context, userId: string, boardIds: readonly string[]): Promise<boolean> {
  const { db, accountId, now } = context
  await holdBoards(context, boardIds)
  const chosen = await db
    .deleteFrom('topicSubscriptions')
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('boardId', 'in', boardIds)
    .returning('topicId')
    .execute()
  const left = await db
    .deleteFrom('boardMembers')
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('boardId', 'in', boardIds)
    .returning('boardId')
    .execute()
  if (left.length === 0) return false
  const ids = left.map(({ boardId }) => boardId)
  await later(
    db,
    db
      .updateTable('boards')
      .set({ members: sql`members - 1` })
      .where('accountId', '=', accountId)
      .where('id', 'in', ids),
  )
  if (chosen.length > 0)
    await later(
      db,
      db
        .updateTable('topics')
        .set({ subscribers: sql`subscribers - 1` })
        .where('accountId', '=', accountId)
        .where(
          'id',
          'in',
          chosen.map(({ topicId }) => topicId),
        ),
    )
  const other = await db
    .selectFrom('boardMembers')
    .select('boardId')
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  for (const boardId of ids) {
    hintAdvocate(context, boardId, userId)
    hintBoard(context, boardId)
  }
  if (!other) await addFacts(context, [{ name: 'advocates', at: now, of: { account: accountId }, amount: -1 }])
  return true
}
