import { sql } from 'kysely'
import { isShownTo } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { may } from '#kernel/permissions.ts'
import { type Approver, canApprove } from '../workflow/workflow-step.ts'
import type { Item } from './item.ts'

/** Those named at the item's step who can decide on it: not deleted, still allowed to approve, and seeing its campaign. */
export async function approversOf({ db, accountId }: Context, { stepId, scopeId }: Item): Promise<Approver[]> {
  const { rows } = await sql<Approver>`
    select u.id, u.created, u.name, u.email
    from workflow_approvers a join users u on u.account_id = ${accountId} and u.id = a.user_id
    where a.account_id = ${accountId} and a.step_id = ${stepId} and ${canApprove}
      and (u.role = 'admin' or ${isShownTo({ accountId }, sql`u.id`, sql`${scopeId}`)})
    order by u.id`.execute(db)
  return rows
}

/** Those who are asked to decide on an item: its approvers, or the admins where none of them can come. */
export async function askedAt(context: Context, item: Item): Promise<Approver[]> {
  const approvers = await approversOf(context, item)
  return approvers.length > 0 ? approvers : adminsOf(context)
}

/** Whether the caller, who sees the item, may decide on it where it stands. An admin may always step in, so that nothing gets stuck. */
export async function mayDecide(context: Context, item: Item): Promise<boolean> {
  if (may(context.role, 'administer')) return true
  return (await approversOf(context, item)).some(({ id }) => id === context.userId)
}

/** Whoever sent something to approval, decided or wrote a note, also those who were deleted since. */
export async function authorsOf({ db, accountId }: Context, ids: readonly string[]) {
  if (ids.length === 0) return []
  return db
    .selectFrom('users')
    .select(['id', 'created', 'name', 'email', 'lastLogin', 'status'])
    .where('accountId', '=', accountId)
    .where('id', 'in', [...new Set(ids)])
    .execute()
}

const adminsOf = ({ db, accountId }: Context): Promise<Approver[]> =>
  db
    .selectFrom('users')
    .select(['id', 'created', 'name', 'email'])
    .where('accountId', '=', accountId)
    .where('role', '=', 'admin')
    .where('status', '=', 'active')
    .orderBy('id')
    .execute()
