import { sql } from 'kysely'
import { isShownTo } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { type Approver, canApprove } from '../workflow/workflow-step.ts'
import type { Item } from './item.ts'

/**
 * Those named at the item's step who can decide on it: not deleted, still allowed to approve, and seeing its campaign. Where
 * nobody is left, everybody decides who may approve; nothing waits for people who cannot come.
 */
export async function approversOf({ db, accountId }: Context, { stepId, scopeId }: Item): Promise<Approver[]> {
  const { rows } = await sql<Approver>`
    select u.id, u.created, u.name, u.email
    from workflow_approvers a join users u on u.account_id = a.account_id and u.id = a.user_id
    where a.account_id = ${accountId} and a.step_id = ${stepId} and ${canApprove}
      and (u.role = 'admin' or ${isShownTo({ accountId }, sql`u.id`, sql`${scopeId}`)})
    order by u.id`.execute(db)
  return rows
}
