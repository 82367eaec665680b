import type { Selectable } from 'kysely'
import { advocateOn } from '#areas/figures/figure.ts'
import { shown } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import type { Shares } from '#kernel/database/tables.ts'
import type { BoardRow } from '../board/board-row.ts'

/** How often each of these has shared something of a board: the figure, since somebody may have shared for years. */
export async function sharesOf({ db, accountId }: Context, boardId: string, userIds: readonly string[]) {
  const users = new Map(userIds.map((id) => [advocateOn(boardId, id), id]))
  if (users.size === 0) return new Map<string, number>()
  const rows = await db
    .selectFrom('figures')
    .select(['ofId', 'value'])
    .where('accountId', '=', accountId)
    .where('ofKind', '=', 'advocate')
    .where('ofId', 'in', [...users.keys()])
    .where('name', '=', 'shares')
    .execute()
  return new Map(rows.map(({ ofId, value }) => [users.get(ofId) ?? '', value]))
}

export interface Standing {
  id: string
  name: string
  rank: number
  points: number
  period: string
}

/** Where each of these stands on the leaderboard of a board; nowhere as long as they have no points. */
export async function leaderboardsOf(
  { db, accountId }: Context,
  { id, name, leaderboardEnabled, leaderboardPeriod: period }: BoardRow,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Standing[]>> {
  if (!leaderboardEnabled || userIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('boardRanks')
    .select(['userId', 'rank', 'points'])
    .where('accountId', '=', accountId)
    .where('boardId', '=', id)
    .where('userId', 'in', userIds)
    .execute()
  return new Map(rows.map(({ userId, rank, points }) => [userId, [{ id, name, rank, points, period }]]))
}

const mostShares = 10

/** What somebody shared last of a board, newest first. */
export async function latestSharesOf(context: Context, boardId: string, userId: string) {
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
    ...{ createdBy: share.userId, credentialImage: credentialImage ?? '', picture: share.imageUrl || null },
    ...{ media: mediaIn(share, media), endDateTime: null, source: 'Board', targetGeo: '' },
  }))
}

type Assets = Awaited<ReturnType<typeof mediaOf>>

/** What was deleted since is left out. */
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
