import type { Via } from '#kernel/caller.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Role } from '#kernel/permissions.ts'
import { isOver } from './session.ts'

/** The roles of those who came with these keys and sessions, by the id of either; who may not come any more is left out. */
export async function standingCallers(
  db: Db,
  accountId: string,
  vias: readonly Via[],
  now: Date,
): Promise<Map<string, Role>> {
  const ids = (by: Via['by']) => vias.filter((via) => via.by === by).map(({ id }) => id)
  const [sessions, keys] = [ids('session'), ids('key')]
  const roles = new Map<string, Role>()
  const note = ({ id, role }: { id: string; role: Role | null }) => role && roles.set(id, role)
  if (sessions.length > 0) {
    const rows = await db
      .selectFrom('sessions as t')
      .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 't.userId'))
      .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
      .select(['t.id', 't.stays', 't.lastUsed', 't.ends', 'u.role'])
      .where('t.accountId', '=', accountId)
      .where('t.id', 'in', sessions)
      .where('u.status', '=', 'active')
      .where('a.status', '=', 'active')
      .execute()
    for (const row of rows) if (!isOver(row, now)) note(row)
  }
  if (keys.length > 0) {
    const rows = await db
      .selectFrom('apiKeys as t')
      .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 't.userId'))
      .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
      .select(['t.id', 't.expires', 'u.role'])
      .where('t.accountId', '=', accountId)
      .where('t.id', 'in', keys)
      .where('u.status', '=', 'active')
      .where('a.status', '=', 'active')
      .execute()
    for (const row of rows) if (!row.expires || row.expires > now) note(row)
  }
  return roles
}
