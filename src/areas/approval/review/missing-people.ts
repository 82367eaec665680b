import { sql } from 'kysely'
import { isShownTo } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import type { Item } from '../item/item.ts'
import { type Approver, assigned, canApprove } from '../workflow/workflow-step.ts'

/** Who has said yes at the step that each of these items is at, in its present round. */
export async function approvalsOf({ db, accountId }: Context, items: readonly Item[]) {
  const { rows } = await sql<{ itemId: string; userId: string }>`
    select d.item_id, d.user_id from workflow_decisions d
    join workflow_items i on i.account_id = ${accountId} and i.id = d.item_id and i.round = d.round and i.step_id = d.step_id
    where d.account_id = ${accountId} and d.item_id = any (${items.map(({ id }) => id)}) and d.is_approve`.execute(db)
  const said = new Set(rows.map(({ itemId, userId }) => `${itemId} ${userId}`))
  return { has: ({ id }: Pick<Item, 'id'>, userId: string) => said.has(`${id} ${userId}`) }
}

/** Those who can decide on these items where they are, each with the item; of items at whose step nobody can, none. */
export async function approversOfAll({ db, accountId }: Context, items: readonly Item[]) {
  const stepIds = [...new Set(items.map(({ stepId }) => stepId))]
  const { rows } = await sql<Approver & { itemId: string }>`
    select i.id as item_id, u.id, u.created, u.name, u.email
    from workflow_items i
    join ${assigned(accountId, stepIds)} a on a.step_id = i.step_id
    join users u on u.account_id = ${accountId} and u.id = a.user_id
    where i.account_id = ${accountId} and i.id = any (${items.map(({ id }) => id)}) and ${canApprove}
      and (u.role = 'admin' or ${isShownTo({ accountId }, sql`u.id`, sql`i.scope_id`)})
    order by u.id`.execute(db)
  return rows
}
