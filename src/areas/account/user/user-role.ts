import { sql } from 'kysely'
import { emitInner } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { identitiesChanged } from '#kernel/identities.ts'
import { type Ability, abilities, abilityWords, may, type Role, roles } from '#kernel/permissions.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { lockAccount } from '../account.ts'
import { accountQuotas } from '../declarations.ts'
import { forgetLinks } from '../session/session.ts'
import { countAdmins, get, refuseForLastAdmin, visible } from './user.ts'
import { notifyUsersChanged } from './user-email.ts'

/** Changes a user's role. Takes effect from the next request on, also for keys in use. */
export async function setRole(context: Context, { id, role }: { id: string; role: Role }) {
  const { db, accountId, now } = context
  // Two admins who demote or delete each other concurrently must not leave the account without an admin.
  await lockAccount(context)
  const user = await get(context, { id })
  if (user.role === role) return { ...user, role }
  if (user.role === 'admin') await refuseForLastAdmin(context, 'must stay one')
  // As for new users: the read role has no access to the media library.
  const changed = { role, modified: now, mediaLibrary: role !== 'read' }
  await db.updateTable('users').set(changed).where('accountId', '=', accountId).where('id', '=', id).execute()
  await identitiesChanged(context)
  notifyUsersChanged(context)
  await emitInner(context, 'userRoleChanged', { userId: id })
  return { ...user, role }
}

/** Gives an advocate, who has no role, a role; board memberships stay. */
export async function giveRole(context: Context, id: string, role: Role) {
  const { db, accountId, now } = context
  await reserveQuota(context, accountQuotas.users, visible(context))
  const given = { role, modified: now, mediaLibrary: role !== 'read' }
  await db
    .updateTable('users')
    .set(given)
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('role', 'is', null)
    .execute()
  await identitiesChanged(context)
  notifyUsersChanged(context)
}

/** The opposite; board memberships stay. */
export async function takeRole(context: Context, id: string) {
  const { db, accountId, now } = context
  await lockAccount(context)
  const withoutRole = { role: null, modified: now, mediaLibrary: false }
  await db.updateTable('users').set(withoutRole).where('accountId', '=', accountId).where('id', '=', id).execute()
  await forgetLinks(context, id)
  await identitiesChanged(context)
  notifyUsersChanged(context)
  await emitInner(context, 'userRoleChanged', { userId: id })
}

interface Counts {
  sessions: number
  apiKeys: number
  drafts: number
  boards: number
  /** Workflow steps that name the user as an approver, and those that would be left without one. */
  steps: number
  stepsAlone: number
  conversations: number
  plannedPosts: number
}

/** The number of entities affected by deleting the user. */
export async function consequences(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const user = await get(context, { id })
  const isLastAdmin = user.role === 'admin' && user.status === 'active' && (await countAdmins(context)) === 1
  const steps = sql`workflow_approvers a
    join workflow_steps s on s.account_id = ${accountId} and s.id = a.step_id
    join workflows w on w.account_id = ${accountId} and w.id = s.workflow_id and w.status = 'active'
    where a.account_id = ${accountId} and a.user_id = ${id}`
  const { rows } = await sql<Counts>`select
    (select count(*)::int from sessions where account_id = ${accountId} and user_id = ${id}) as sessions,
    (select count(*)::int from api_keys where account_id = ${accountId} and user_id = ${id}) as api_keys,
    (select count(*)::int from drafts where account_id = ${accountId} and user_id = ${id}) as drafts,
    (select count(*)::int from board_members where account_id = ${accountId} and user_id = ${id}) as boards,
    (select count(*)::int from ${steps} and s.removed is null) as steps,
    (select count(*)::int from ${steps} and s.removed is null and s.approver_roles = '{}'
      and not exists (select from workflow_approvers o join users u on u.account_id = ${accountId} and u.id = o.user_id
      where o.account_id = ${accountId} and o.step_id = a.step_id and o.user_id <> ${id}
        and u.status = 'active' and u.role in ('admin', 'publisher'))) as steps_alone,
    (select count(*)::int from inbox_items
      where account_id = ${accountId} and assignee_id = ${id} and status = 'open') as conversations,
    (select coalesce(sum(posts), 0)::int from post_counts
      where account_id = ${accountId} and created_by = ${id} and status in ('pending', 'inqueue')) as planned_posts
    `.execute(db)
  return { ...(rows[0] as Counts), isLastAdmin }
}

/** The permissions each other role would add and remove; a change also applies to current sessions and keys. */
export async function roleChanges(context: Context, { id }: { id: string }) {
  const user = await get(context, { id })
  const present = user.role as Role
  return {
    present,
    others: roles
      .filter((role) => role !== present)
      .map((role) => ({
        role,
        adds: abilitiesOf((ability) => may(role, ability) && !may(present, ability)),
        takes: abilitiesOf((ability) => may(present, ability) && !may(role, ability)),
        takesLibrary: user.mediaLibrary && role === 'read',
      })),
    isLastAdmin: present === 'admin' && user.status === 'active' && (await countAdmins(context)) === 1,
    sessions: await countOf(context, 'sessions', id),
    apiKeys: await countOf(context, 'apiKeys', id),
  }
}

const abilitiesOf = (fits: (ability: Ability) => boolean) =>
  (Object.keys(abilities) as Ability[]).filter(fits).map((ability) => ({ ability, words: abilityWords[ability] }))

async function countOf({ db, accountId }: Context, table: 'sessions' | 'apiKeys', userId: string): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}
