import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import { requireNamedBoard } from '../board/board-row.ts'
import { latestSharesOf } from './advocate-activity.ts'
import { type Search, searchEverywhere, searchOnBoard } from './advocate-list.ts'
import { boardsOf, pictureUrl, visibleAdvocates } from './advocate-row.ts'
import { leave } from './leaving.ts'

export async function search(context: Context, { boardId = '', ...rest }: Search & { boardId?: string | undefined }) {
  if (boardId === '') return searchEverywhere(context, rest)
  return searchOnBoard(context, await requireNamedBoard(context, boardId), rest)
}

export async function get(context: Context, { id, boardId }: { id: string; boardId?: string | undefined }) {
  const [user, boards] = await Promise.all([
    visibleAdvocates(context).selectAll().select(pictureUrl).where('users.id', '=', id).executeTakeFirst(),
    boardsOf(context, id),
  ])
  const boardIds = boards.map((board) => board.id)
  if (!user || (boardId && !boardIds.includes(boardId))) throw missing('Advocate')
  const advocate = { ...user, boardIds, profiles: await profilesOf(context, id) }
  if (!boardId) return advocate
  const [topics, latestShares] = await Promise.all([
    topicsOf(context, boardId, id),
    latestSharesOf(context, boardId, id),
  ])
  return { ...advocate, topics, latestShares }
}

/** Takes somebody off a board; who they are, and what they shared, stays. */
export async function remove(context: Context, { id, boardId }: { id: string; boardId: string }) {
  const boards = await boardsOf(context, id)
  if (!boards.some((board) => board.id === boardId) || !(await leave(context, id, [boardId]))) throw missing('Advocate')
}

/** Those that are for boards only: with what somebody connects for the account, colleagues publish. */
const profilesOf = ({ db, accountId }: Context, userId: string) =>
  db
    .selectFrom('credentials')
    .select(['id', 'created', 'displayName as name', 'status', 'network', 'imageLink', 'networkUsername'])
    .where('accountId', '=', accountId)
    .where('createdBy', '=', userId)
    .where('boardOnly', '=', sql.lit(true))
    .where('deleted', 'is', null)
    .orderBy('created')
    .orderBy('id')
    .execute()

async function topicsOf({ db, accountId }: Context, boardId: string, userId: string) {
  const rows = await db
    .selectFrom('topicSubscriptions')
    .select('topicId')
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('boardId', '=', boardId)
    .orderBy('topicId')
    .execute()
  return rows.map(({ topicId }) => topicId)
}
