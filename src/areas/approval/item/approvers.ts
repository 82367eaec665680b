import { type RawBuilder, sql } from 'kysely'
import { isShownTo } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { forbidden } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { type Approver, assigned, canApprove } from '../workflow/workflow.ts'
import type { Item } from './item.ts'

/** The approvers of the item's step who can decide on it: not deleted, still allowed to approve, and able to see its campaign. */
export async function approversOf({ db, accountId }: Context, { stepId, scopeId }: Item): Promise<Approver[]> {
  const { rows } = await sql<Approver>`
    select u.id, u.created, u.name, u.email
    from ${assigned(accountId, [stepId])} a join users u on u.account_id = ${accountId} and u.id = a.user_id
    where ${canApprove} and (u.role = 'admin' or ${isShownTo({ accountId }, sql`u.id`, sql`${scopeId}`)})
    order by u.id`.execute(db)
  return rows
}

/** The users who are asked to decide on an item: its approvers, or the admins if none of them can. */
export async function askedAt(context: Context, item: Item): Promise<Approver[]> {
  const approvers = await approversOf(context, item)
  return approvers.length > 0 ? approvers : adminsOf(context)
}

/** Whether the caller, who can see the item, may decide on it at its step. Admins always may, so that no item gets stuck. */
export async function mayDecide(context: Context, item: Item): Promise<boolean> {
  if (may(context.role, 'administer')) return true
  return (await approversOf(context, item)).some(({ id }) => id === context.userId)
}

/** Whether the caller, who may approve, is an approver of the step `step`. */
export const isCallersStep = ({ accountId, userId, role }: Context, step: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(exists (select from workflow_approvers a where a.account_id = ${accountId} and a.step_id = ${step} and a.user_id = ${userId})
    or exists (select from workflow_steps s where s.account_id = ${accountId} and s.id = ${step} and ${role} = any (s.approver_roles)))`

/** Whether none of a step's approvers can decide on content of the campaign or board `scope`, so that admins have to. */
export function isLeftToAdmins(
  { accountId }: Context,
  step: RawBuilder<unknown>,
  scope: RawBuilder<unknown>,
): RawBuilder<boolean> {
  const decides = sql`${canApprove} and (u.role = 'admin' or ${isShownTo({ accountId }, sql`u.id`, scope)})`
  return sql`(not exists (
      select from workflow_approvers a join users u on u.account_id = ${accountId} and u.id = a.user_id
      where a.account_id = ${accountId} and a.step_id = ${step} and ${decides})
    and not exists (
      select from workflow_steps s join users u on u.account_id = ${accountId} and u.role = any (s.approver_roles)
      where s.account_id = ${accountId} and s.id = ${step} and ${decides}))`
}

/** The properties that determine whether a user without permission to publish may change the content. */
interface Content {
  createdBy: string
  /** Not published, scheduled or about to be. */
  isDraft: boolean
}

/**
 * Users who may not publish can change their own content, content they submitted, and drafts, but not content that others have scheduled,
 * had approved or submitted. `item` is the item from `currentItems`.
 */
export function requireMayChange(context: Context, noun: string, content: Content, item: Item | undefined) {
  const { role, userId } = context
  if (may(role, 'approve') || content.createdBy === userId) return
  const isFree = item?.status === 'pending' ? item.createdBy === userId : content.isDraft && item?.status !== 'approved'
  if (isFree) return
  throw forbidden(
    `This ${noun} belongs to someone else and is scheduled, approved or waiting for approval. Ask a publisher or an admin to change it.`,
  )
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
