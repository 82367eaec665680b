import { type Selectable, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { holdUsers, noteBoardLogin } from '#areas/account/user/advocate-user.ts'
import { incrementCounters } from '#areas/counters/increments.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import type { BoardMembers } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import { type BoardRow, holdBoards, notifyBoardChanged, visibleBoards } from '../board/board-row.ts'
import { advocacyChanges } from '../declarations.ts'

type Member = Selectable<BoardMembers>

/** A board with the caller's role on it. */
export interface Membership {
  board: BoardRow
  member: Member
}

/** The caller's membership on an active board, independent of teams. Others get "not found". */
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

/** Last visit of advocates who were never on the board. */
export const never = new Date(0)

/** Records the caller's visit to a board, to the minute. */
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

/** A user who follows an emailed link has accepted all pending invitations. */
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
  for (const { boardId, userId } of accepted) notifyAdvocateChanged(context, boardId, userId)
}

export const notifyAdvocateChanged = ({ notifyChange }: Context, boardId: string, userId: string) =>
  notifyChange({ kind: advocacyChanges.advocate, id: userId, parent: boardId, scope: boardId })

/** Users on a board visible to the caller, with or without a role in the account. */
export const visibleAdvocates = (context: Context) =>
  context.db
    .selectFrom('users')
    .where('users.accountId', '=', context.accountId)
    .where('users.status', '<>', sql.lit('deleted'))
    .where(
      sql<boolean>`exists (select from board_members m where m.account_id = ${context.accountId} and m.user_id = users.id
        and ${withinTeams(context, 'm.board_id')})`,
    )

/** Picture of the first network that provides one. */
export const pictureUrl = sql<
  string | null
>`coalesce(nullif(users.linked_in_image_url, ''), nullif(users.twitter_image_url, ''), nullif(users.facebook_image_url, ''))`.as(
  'pictureUrl',
)

/** Whether the caller sees every board. */
export async function seesAllBoards(context: Context): Promise<boolean> {
  if (context.role === 'admin') return true
  const hidden = await context.db
    .selectFrom('boards')
    .select('id')
    .where('accountId', '=', context.accountId)
    .where(({ not }) => not(withinTeams(context, 'boards.id')))
    .executeTakeFirst()
  return hidden === undefined
}

/** Boards of a user that are visible to the caller. */
export const boardsOf = (context: Context, userId: string) =>
  visibleBoards(context)
    .select('id')
    .where('id', 'in', (boards) =>
      boards
        .selectFrom('boardMembers')
        .select('boardId')
        .where('accountId', '=', context.accountId)
        .where('userId', '=', userId),
    )
    .orderBy('id')
    .execute()

/** Removes a user from boards with their settings, freeing their seats. Returns whether they were on any. */
export async function leave(context: Context, userId: string, boardIds: readonly string[]): Promise<boolean> {
  await holdUsers(context, [], [userId])
  return leaveHeld(context, userId, boardIds)
}

/** Deleted users leave all boards. */
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
    notifyAdvocateChanged(context, boardId, userId)
    notifyBoardChanged(context, boardId)
  }
  if (!other) await incrementCounters(context, [{ name: 'advocates', at: now, of: { account: accountId }, amount: -1 }])
  return true
}
