import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { WorkflowSteps } from '#kernel/database/tables.ts'

export type Step = Selectable<WorkflowSteps>

/** Steps that are part of their workflow; those taken out of it are not among them. */
export const currentSteps = ({ db, accountId }: Context) =>
  db.selectFrom('workflowSteps').selectAll().where('accountId', '=', accountId).where('removed', 'is', null)

/** The steps of one workflow in their order. */
export const stepsInOrder = (context: Context, workflowId: string): Promise<Step[]> =>
  currentSteps(context).where('workflowId', '=', workflowId).orderBy('position').execute()

/** A step, whether or not it is still part of its workflow. */
export const stepOf = ({ db, accountId }: Context, id: string): Promise<Step> =>
  db
    .selectFrom('workflowSteps')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

export interface Approver {
  id: string
  created: Date
  name: string
  email: string
}

/** Steps together with those who decide there: whoever was deleted since, or may no longer approve, does not count. */
export async function withApprovers<Row extends { id: string }>({ db, accountId }: Context, steps: readonly Row[]) {
  const { rows } = await sql<Approver & { stepId: string }>`
    select a.step_id, u.id, u.created, u.name, u.email
    from workflow_approvers a join users u on u.account_id = ${accountId} and u.id = a.user_id
    where a.account_id = ${accountId} and a.step_id = any (${steps.map(({ id }) => id)}) and ${canApprove}
    order by u.id`.execute(db)
  return steps.map((step) => ({ ...step, approvers: rows.filter(({ stepId }) => stepId === step.id) }))
}

/** The condition that the user `u` may say that content may be published. */
export const canApprove = sql<boolean>`u.status = 'active' and u.role in ('admin', 'publisher')`
