import { scopeIds } from '#areas/account/declarations.ts'
import type { Context } from '#kernel/context.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { advocacyQuotas } from '../declarations.ts'
import {
  type BoardRow,
  customFieldsOf,
  holdBoards,
  hourInUtc,
  leaveSlug,
  nextDigest,
  notifyBoardChanged,
  requireBoard,
  takeSlug,
  takeSlugOf,
  visibleBoards,
  withIds,
} from './board-row.ts'
import type { BoardChanges, BoardDraft } from './board-shape.ts'

export const get = async (context: Context, { id }: { id: string }) => shown(context, await requireBoard(context, id))

/** Terms are long, so pages are small. */
export const search = (context: Context, { page }: { page: OpenPage }) =>
  paginateOrAll(context.db, visibleBoards(context).selectAll(), page, {
    size: 100,
    each: (boards) => boards.map((board) => shown(context, board)),
  })

/** Board as in the contract. */
export function shown({ now }: Pick<Context, 'now'>, board: BoardRow) {
  const { id, name, status, created, members: usersCount } = board
  return {
    id,
    name,
    status,
    created,
    usersCount,
    config: {
      ...board,
      isAllowSuggestionsEnabled: board.allowsSuggestions,
      isLeaderboardEnabled: board.leaderboardEnabled,
      notificationsDay: board.notificationsDay === null ? null : String(board.notificationsDay),
      notificationsTimeUTC: hourInUtc(board, now),
    },
  }
}

export const settings = async (context: Context, { id }: { id: string }) => withFields(await requireBoard(context, id))

export async function create(context: Context, { slug, customFields = [], dailyCaps = {}, ...draft }: BoardDraft) {
  const { db, accountId, userId, now } = context
  await requireImages(context, draft)
  await reserveQuota(context, advocacyQuotas.boards, db.selectFrom('boards').where('accountId', '=', accountId))
  const id = newId(scopeIds.board, now)
  if (slug !== undefined) await takeSlug(context, id, slug)
  const address = slug ?? (await takeSlugOf(context, id, draft.name))
  const made = { accountId, id, created: now, modified: now, createdBy: userId, modifiedBy: userId, slug: address }
  const board = await db
    .insertInto('boards')
    .values({
      ...made,
      ...draft,
      customFields: JSON.stringify(withIds(customFields, [], now)),
      dailyCaps: JSON.stringify(dailyCaps),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return planned(context, board)
}

export async function update(context: Context, { id, customFields, dailyCaps, ...changes }: BoardChanges) {
  const { db, accountId, userId, now } = context
  await requireBoard(context, id)
  const [before] = await holdBoards(context, [id])
  if (!before) throw missing('Board')
  await requireImages(context, changes)
  if (changes.slug !== undefined && changes.slug !== before.slug) {
    await takeSlug(context, id, changes.slug)
    await leaveSlug(context, before.slug)
  }
  const board = await db
    .updateTable('boards')
    .set({
      ...changes,
      ...(customFields && { customFields: JSON.stringify(withIds(customFields, customFieldsOf(before), now)) }),
      ...(dailyCaps && { dailyCaps: JSON.stringify(dailyCaps) }),
      modified: now,
      modifiedBy: userId,
    })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return planned(context, board)
}

/** Schedules the next digest according to the settings. */
async function planned(context: Context, board: BoardRow) {
  const { db, accountId, now } = context
  const digestDue = nextDigest(board, now)
  notifyBoardChanged(context, board.id)
  if (digestDue?.getTime() === board.digestDue?.getTime()) return withFields(board)
  await db
    .updateTable('boards')
    .set({ digestDue })
    .where('accountId', '=', accountId)
    .where('id', '=', board.id)
    .execute()
  return withFields(board)
}

const withFields = (board: BoardRow) => ({ ...board, customFields: customFieldsOf(board) })

interface Images {
  iconId?: string | undefined
  logoId?: string | undefined
}

async function requireImages({ db, accountId }: Context, { iconId = '', logoId = '' }: Images) {
  for (const [name, id] of Object.entries({ iconId, logoId })) {
    if (id === '') continue
    const image = await db
      .selectFrom('media')
      .select('id')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where('type', 'in', ['Image', 'ImageUrl'])
      .executeTakeFirst()
    if (!image) throw invalid(`${name} names no image of the media library: "${id.slice(0, 40)}".`)
  }
}
