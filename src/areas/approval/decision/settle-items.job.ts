import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import type { Approvables } from '../approvable.ts'
import type { Item } from '../item/item.ts'
import { approversOf } from '../item/people.ts'
import { stepOf } from '../workflow/workflow-step.ts'
import { holdWaiting, isApprovedBy, moveOn } from './decision.ts'

export const settleItems = { name: 'approval.settle-items', queue: 'housekeeping' } as const

/**
 * Advances items whose remaining approvers have all approved because another one was deleted, lost permission to approve or can no longer
 * see the campaign. No decision is made at that moment, so nothing else would advance them.
 */
export const settleItemsJob = (approvables: Approvables): Job<Record<string, never>> =>
  job(settleItems.name, {
    ...settleItems,
    timeout: 600_000,
    async run({ shared, transaction, signal }) {
      const { rows } = await sql<{ id: string }>`select chorus_account_ids() as id`.execute(shared)
      const failures: unknown[] = []
      for (const { id: accountId } of rows)
        for (const item of await transaction(accountId, begunItems)) {
          if (signal.aborted) return
          await transaction(accountId, (context) => settle(context, approvables, item)).catch((error) => {
            // Items that cannot advance yet, for example because a message they depend on is not approved, are retried in the next run.
            if (!(error instanceof Refusal)) failures.push(error)
          })
        }
      // A failure does not hold up the other items.
      if (failures.length > 0) throw failures[0]
    },
  })

type BegunItem = Item & { lastUserId: string }

/** Items at steps that everyone has to approve, with at least one approval there, and the user who approved last. */
async function begunItems({ db, accountId }: Context): Promise<BegunItem[]> {
  const { rows } = await sql<BegunItem>`
    select i.*, d.user_id as last_user_id from workflow_items i
    join workflow_steps s on s.account_id = ${accountId} and s.id = i.step_id and s.must_be_approved_by_everyone
    join lateral (
      select user_id from workflow_decisions d where d.account_id = ${accountId} and d.item_id = i.id and d.round = i.round
        and d.step_id = i.step_id and d.is_approve order by d.created desc, d.user_id limit 1) d on true
    where i.account_id = ${accountId} and i.status = 'pending' order by i.id`.execute(db)
  return rows
}

async function settle(context: Context, approvables: Approvables, { lastUserId, ...found }: BegunItem) {
  const waiting = await holdWaiting(context, approvables, found)
  const { item } = waiting
  const approvers = await approversOf(context, item)
  // Without any remaining approver, the admins decide.
  if (approvers.length === 0 || !(await isApprovedBy(context, item, approvers))) return
  const isSame = item.round === found.round && item.stepId === found.stepId
  if (isSame) await moveOn({ ...context, userId: lastUserId }, waiting, await stepOf(context, item.stepId), '')
}
