import { sql } from 'kysely'
import { noteBoardLogin } from '#areas/account/user/advocate-user.ts'
import { shown } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { forbidden } from '#kernel/errors.ts'
import type { Search } from './advocate.ts'
import { searchOnBoard } from './advocate.ts'
import { noteSeen, requireMembership } from './membership.ts'

/** Active boards of the caller, sorted by name. Records the visit. */
export async function list(context: Context) {
  const { db, accountId, userId } = context
  const boards = await db
    .selectFrom('boardMembers')
    .innerJoin('boards', (join) =>
      join.on('boards.accountId', '=', accountId).onRef('boards.id', '=', 'boardMembers.boardId'),
    )
    .select(['boards.id', 'boards.name', 'boards.slug', 'boards.color', 'boards.terms', 'boards.logoId'])
    .select(['boards.kind', 'boardMembers.role'])
    .select(unseenTopics(context))
    .where('boardMembers.accountId', '=', accountId)
    .where('boardMembers.userId', '=', userId)
    .where('boardMembers.accepted', 'is not', null)
    .where('boards.status', '=', 'active')
    .orderBy('boards.name')
    .orderBy('boards.id')
    .execute()
  if (boards.length > 0) await noteBoardLogin(context)
  const logos = await logosOf(
    context,
    boards.map(({ logoId }) => logoId),
  )
  const items = boards.map(({ logoId, ...board }) => ({ ...board, logoUrl: logos.get(logoId) ?? '' }))
  return { items, total: items.length }
}

/** Advocates of a board, for its managers. */
export async function searchAdvocates(context: Context, { boardId, ...search }: Search & { boardId: string }) {
  const { board, member } = await requireMembership(context, boardId)
  if (member.role !== 'manager') throw forbidden('Only who manages the board sees its advocates.')
  await noteSeen(context, boardId)
  return searchOnBoard(context, board, search)
}

/** Column: topics of a board that the member has not been asked about. */
const unseenTopics = ({ accountId }: Context) =>
  sql<number>`(select count(*)::integer from topics t where t.account_id = ${accountId} and t.board_id = board_members.board_id
    and (board_members.topics_seen is null or t.created > board_members.topics_seen))`.as('unseenTopics')

async function logosOf(context: Context, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const given = ids.filter((id) => id !== '')
  if (given.length === 0) return new Map()
  const media = await context.db
    .selectFrom('media')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', 'in', given)
    .execute()
  return new Map(media.map((asset) => [asset.id, shown(context, asset).resource]))
}
