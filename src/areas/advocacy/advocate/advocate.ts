import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { idsOfEmails } from '#areas/account/user/user-email.ts'
import { advocateOn } from '#areas/counters/counter.ts'
import { shown } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { DB, Shares } from '#kernel/database/tables.ts'
import { forbidden, missing } from '#kernel/errors.ts'
import { type BoardRow, chosenOf, customFieldsOf, requireNamedBoard } from '../board/board-row.ts'
import type { Activity } from './advocate-shape.ts'
import { leaderboardsOf } from './leaderboard.ts'
import {
  boardsOf,
  leave,
  never,
  noteSeen,
  pictureUrl,
  requireMembership,
  seesAllBoards,
  visibleAdvocates,
} from './membership.ts'

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

/** Removes an advocate from a board; the user and their shares stay. */
export async function remove(context: Context, { id, boardId }: { id: string; boardId: string }) {
  const boards = await boardsOf(context, id)
  if (!boards.some((board) => board.id === boardId) || !(await leave(context, id, [boardId]))) throw missing('Advocate')
}

/** Profiles for sharing only: those connected for the account are used by colleagues. */
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

interface Search extends Activity {
  email?: string | undefined
  page: Page
}

/** Everyone on any board, newest first: ids are chronological. */
async function searchEverywhere(context: Context, { email = '', page }: Search) {
  const matching = visibleAdvocates(context)
    .select(['users.id', 'users.name', 'users.email', 'users.lastBoardLogin'])
    .select(pictureUrl)
    .$if(email !== '', (rows) => rows.where(hasEmail(context, email)))
  const known = email === '' && (await seesAllBoards(context)) ? () => countAdvocates(context) : undefined
  return paginate(matching, { ...page, order: { ...page.order, column: 'users.id' } }, known)
}

/** From the counter, to avoid counting fifty thousand rows for one page. */
async function countAdvocates({ db, accountId }: Context): Promise<number> {
  const counter = await db
    .selectFrom('counters')
    .select('value')
    .where('accountId', '=', accountId)
    .where('ofKind', '=', 'account')
    .where('ofId', '=', accountId)
    .where('name', '=', 'advocates')
    .executeTakeFirst()
  return counter?.value ?? 0
}

/** Advocates of a board, newest first, or by last visit if that filter is set. */
async function searchOnBoard(context: Context, board: BoardRow, { email = '', page, ...activity }: Search) {
  const { lastSeen, notSeen, neverSeen = false } = activity
  const isFiltered = lastSeen !== undefined || notSeen !== undefined || neverSeen
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
      .orderBy(isFiltered ? 'boardMembers.lastSeen' : 'boardMembers.created', direction)
      .orderBy('boardMembers.userId', direction)
      .limit(page.limit ?? 0)
      .offset(page.offset)
      .execute(),
    isFiltered || email !== '' ? countOf(email === '' ? members : matching.clearSelect()) : board.members,
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

/** Counts without reading the rows. */
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

/** Number of shares per advocate on a board, from the counter: the history may span years. */
async function sharesOf({ db, accountId }: Context, boardId: string, userIds: readonly string[]) {
  const users = new Map(userIds.map((id) => [advocateOn(boardId, id), id]))
  if (users.size === 0) return new Map<string, number>()
  const rows = await db
    .selectFrom('counters')
    .select(['ofId', 'value'])
    .where('accountId', '=', accountId)
    .where('ofKind', '=', 'advocate')
    .where('ofId', 'in', [...users.keys()])
    .where('name', '=', 'shares')
    .execute()
  return new Map(rows.map(({ ofId, value }) => [users.get(ofId) ?? '', value]))
}

const mostShares = 10

/** Latest shares of an advocate on a board. */
async function latestSharesOf(context: Context, boardId: string, userId: string) {
  const { db, accountId } = context
  const rows = await db
    .selectFrom('shares')
    .leftJoin('credentials', (join) =>
      join.on('credentials.accountId', '=', accountId).onRef('credentials.id', '=', 'shares.credentialId'),
    )
    .selectAll('shares')
    .select('credentials.imageLink as credentialImage')
    .where('shares.accountId', '=', accountId)
    .where('shares.boardId', '=', boardId)
    .where('shares.userId', '=', userId)
    .orderBy('shares.created', 'desc')
    .orderBy('shares.id', 'desc')
    .limit(mostShares)
    .execute()
  const media = await mediaOf(
    context,
    rows.flatMap(({ mediaIds }) => mediaIds),
  )
  return rows.map(({ credentialImage, ...share }) => ({
    ...share,
    createdBy: share.userId,
    credentialImage: credentialImage ?? '',
    picture: share.imageUrl || null,
    media: mediaIn(share, media),
    endDateTime: null,
    source: 'Board',
    targetGeo: '',
  }))
}

type Assets = Awaited<ReturnType<typeof mediaOf>>

/** Deleted assets are omitted. */
const mediaIn = ({ mediaIds }: Selectable<Shares>, media: Assets) => mediaIds.flatMap((id) => media.get(id) ?? [])

async function mediaOf(context: Context, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, ReturnType<typeof shown>>()
  const rows = await context.db
    .selectFrom('media')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((asset) => [asset.id, shown(context, asset)]))
}

/** Advocates of a board, for its managers. */
export async function searchAsManager(context: Context, { boardId, ...search }: Search & { boardId: string }) {
  const { board, member } = await requireMembership(context, boardId)
  if (member.role !== 'manager') throw forbidden('Only who manages the board sees its advocates.')
  await noteSeen(context, boardId)
  return searchOnBoard(context, board, search)
}
