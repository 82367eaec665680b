import type { Context } from '#kernel/context.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/room/insert-within.ts'
import { hintTeams, holdAssignments, restrictThoseOf } from './restricted-entity.ts'
import type { TeamChanges, TeamDraft } from './team-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const team = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!team) throw missing('Team')
  return team
}

export const search = (context: Context, { page }: { page: OpenPage }) =>
  paginateOrAll(context.db, visible(context), page, { size: 500 })

export function create(context: Context, draft: TeamDraft) {
  const { db, accountId, now } = context
  hintTeams(context)
  const row = { accountId, id: newId('team', now), created: now, modified: now, ...draft }
  return insertWithin(context, 'teams', () => visible(context), db.insertInto('teams').values(row).returningAll())
}

export async function update(context: Context, { id, ...changes }: TeamChanges) {
  const { db, accountId, now } = context
  hintTeams(context)
  const team = await db
    .updateTable('teams')
    .set({ ...changes, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!team) throw missing('Team')
  return team
}

/** What nobody else shares is not opened by it: it stays with the admins until somebody decides. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, remark } = context
  await holdAssignments(context)
  const restricted = await restrictThoseOf(context, id)
  const { numDeletedRows } = await db
    .deleteFrom('teams')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Team')
  remark({ team: id, restricted })
}

const visible = ({ db, accountId }: Context) => db.selectFrom('teams').selectAll().where('accountId', '=', accountId)
