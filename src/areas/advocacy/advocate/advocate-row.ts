import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { visibleBoards } from '../board/board-row.ts'

/** Users who are on a board that the caller may see, with a role in the account or without. */
export const visibleAdvocates = (context: Context) =>
  context.db
    .selectFrom('users')
    .where('users.accountId', '=', context.accountId)
    .where('users.status', '<>', sql.lit('deleted'))
    .where(
      sql<boolean>`exists (select from board_members m where m.account_id = ${context.accountId} and m.user_id = users.id
        and ${withinTeams(context, 'm.board_id')})`,
    )

/** The picture of the first network that has told one. */
export const pictureUrl = sql<
  string | null
>`coalesce(nullif(users.linked_in_image_url, ''), nullif(users.twitter_image_url, ''), nullif(users.facebook_image_url, ''))`.as(
  'pictureUrl',
)

/** Whether the caller sees every board there is. */
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

/** The boards of somebody that the caller may see. */
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
