import { type SelectQueryBuilder, sql } from 'kysely'
import { idsOfEmails } from '#areas/account/user/user-email.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { DB } from '#kernel/database/tables.ts'
import type { BoardRow } from '../board/board-row.ts'
import { chosenOf, customFieldsOf } from '../board/custom-field.ts'
import { leaderboardsOf, sharesOf } from './advocate-activity.ts'
import { pictureUrl, seesAllBoards, visibleAdvocates } from './advocate-row.ts'
import type { Activity } from './advocate-shape.ts'
import { never } from './membership.ts'

export interface Search extends Activity {
  email?: string | undefined
  page: Page
}

/** Everybody who is on some board, who came last first: ids are in the order of time. */
export async function searchEverywhere(context: Context, { email = '', page }: Search) {
  const matching = visibleAdvocates(context)
    .select(['users.id', 'users.name', 'users.email', 'users.lastBoardLogin'])
    .select(pictureUrl)
    .$if(email !== '', (rows) => rows.where(hasEmail(context, email)))
  const known = email === '' && (await seesAllBoards(context)) ? () => countAdvocates(context) : undefined
  return paginate(matching, { ...page, order: { ...page.order, column: 'users.id' } }, known)
}

/** Kept as a figure, so that nobody counts fifty thousand rows for a page of them. */
async function countAdvocates({ db, accountId }: Context): Promise<number> {
  const figure = await db
    .selectFrom('figures')
    .select('value')
    .where('accountId', '=', accountId)
    .where('ofKind', '=', 'account')
    .where('ofId', '=', accountId)
    .where('name', '=', 'advocates')
    .executeTakeFirst()
  return figure?.value ?? 0
}

/** The advocates of a board: who came last first or, where it is asked who was seen, who was seen last. */
export async function searchOnBoard(context: Context, board: BoardRow, { email = '', page, ...activity }: Search) {
  const { lastSeen, notSeen, neverSeen = false } = activity
  const isAsked = lastSeen !== undefined || notSeen !== undefined || neverSeen
  const members = context.db
    .selectFrom('boardMembers')
    .where('boardMembers.accountId', '=', context.accountId)
    .where('boardMembers.boardId', '=', board.id)
    .$if(lastSeen !== undefined, (rows) => rows.where('boardMembers.lastSeen', '>=', daysBefore(context, lastSeen)))
    .$if(notSeen !== undefined, (rows) => rows.where('boardMembers.lastSeen', '<', daysBefore(context, notSeen)))
    .$if(neverSeen, (rows) => rows.where('boardMembers.lastSeen', '=', never))
  const matching = withUsers(context, members).$if(email !== '', (rows) => rows.where(hasEmail(context, email)))
  const direction = page.order.ascending ? 'asc' : 'desc'
  const [items, total] = await Promise.all([
    matching
      .orderBy(isAsked ? 'boardMembers.lastSeen' : 'boardMembers.created', direction)
      .orderBy('boardMembers.userId', direction)
      .limit(page.limit ?? 0)
      .offset(page.offset)
      .execute(),
    isAsked || email !== '' ? countOf(email === '' ? members : matching.clearSelect()) : board.members,
  ])
  return { items: await withActivity(context, board, items), total }
}

const hasEmail = (context: Context, email: string) => sql<boolean>`users.id in ${idsOfEmails(context, [email])}`

const day = 24 * 60 * 60 * 1000
const daysBefore = ({ now }: Context, days = 0) => new Date(now.getTime() - days * day)

const withUsers = ({ accountId }: Context, members: SelectQueryBuilder<DB, 'boardMembers', object>) =>
  members
    .innerJoin('users', (join) =>
      join.on('users.accountId', '=', accountId).onRef('users.id', '=', 'boardMembers.userId'),
    )
    .select(['boardMembers.userId as id', 'users.name', 'users.email', 'users.lastBoardLogin'])
    .select(['boardMembers.lastSeen', 'boardMembers.role as roleId', 'boardMembers.customValues'])
    .select(pictureUrl)

type Member = NonNullable<Awaited<ReturnType<ReturnType<typeof withUsers>['executeTakeFirst']>>>

/** Nobody needs to be looked up for their number alone. */
async function countOf<Table extends keyof DB>(matching: SelectQueryBuilder<DB, Table, object>): Promise<number> {
  const { total } = await matching.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
  return total
}

const roleNames = { contributor: 'Contributor', manager: 'Manager' } as const

async function withActivity(context: Context, board: BoardRow, members: readonly Member[]) {
  const ids = members.map(({ id }) => id)
  const [shares, leaderboards] = await Promise.all([
    sharesOf(context, board.id, ids),
    leaderboardsOf(context, board, ids),
  ])
  const fields = customFieldsOf(board)
  return members.map(({ customValues, ...member }) => ({
    ...member,
    lastSeen: member.lastSeen.getTime() === never.getTime() ? null : member.lastSeen,
    role: roleNames[member.roleId],
    shares: shares.get(member.id) ?? 0,
    customFields: chosenOf(fields, customValues),
    leaderboards: leaderboards.get(member.id) ?? [],
  }))
}
