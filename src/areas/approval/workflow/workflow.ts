import { type RawBuilder, type Selectable, sql } from 'kysely'
import { scopeIds } from '#areas/account/declarations.ts'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import type { WorkflowSteps, Workflows } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { approvalIds } from '../declarations.ts'

interface Search {
  withSteps?: boolean | undefined
  page: OpenPage
}

export async function get(
  context: Context,
  { id, withSteps = false }: { id: string; withSteps?: boolean | undefined },
) {
  if (withSteps) return getWhole(context, id)
  const workflow = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!workflow) throw missing('Workflow')
  return workflow
}

/** With its steps. */
export async function getWhole(context: Context, id: string) {
  const [workflow] = await addSteps(context, await visible(context).where('id', '=', id).execute())
  if (!workflow) throw missing('Workflow')
  return workflow
}

/** With their steps and approvers. These rows are large, so pages are small. */
export const searchWhole = (context: Context, { page }: { page: OpenPage }) =>
  paginateOrAll(context.db, visible(context), page, { size: 5, each: (rows) => addSteps(context, rows) })

export const search = (context: Context, { withSteps = false, page }: Search) =>
  withSteps ? searchWhole(context, { page }) : paginateOrAll(context.db, visible(context), page, { size: 500 })

/** Including removed steps, since items that went through them still refer to them. */
export async function getStep(context: Context, { id }: { id: string }) {
  const row = await context.db
    .selectFrom('workflowSteps')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .where(withinTeams(context, 'workflow_steps.workflow_id'))
    .executeTakeFirst()
  const [step] = row ? await withApprovers(context, [row]) : []
  if (!step) throw missing('Workflow step')
  return step
}

/** Ordered by workflow, then by position. */
export async function searchSteps(
  context: Context,
  { workflowId = '', page }: { workflowId?: string | undefined; page: OpenPage },
) {
  const matching = currentSteps(context)
    .where(withinTeams(context, 'workflow_steps.workflow_id'))
    .$if(workflowId !== '', (rows) => rows.where('workflowId', '=', workflowId))
  const direction = page.order.ascending ? 'asc' : 'desc'
  const { limit, offset } = page
  const ordered = matching.orderBy('workflowId', direction).orderBy('position', direction)
  const each = (rows: Step[]) => withApprovers(context, rows)
  if (limit === undefined) return listedWithTotal(context.db, ordered, { size: 50, each })
  const count = matching.clearSelect().select(({ fn }) => fn.countAll<number>().as('total'))
  const { total } = await count.executeTakeFirstOrThrow()
  return { items: await each(await ordered.limit(limit).offset(offset).execute()), total }
}

export const visible = (context: Context) =>
  context.db
    .selectFrom('workflows')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where(withinTeams(context, 'workflows.id'))

async function addSteps<Row extends { id: string }>(context: Context, workflows: readonly Row[]) {
  if (workflows.length === 0) return []
  const ids = workflows.map(({ id }) => id)
  const rows = await currentSteps(context).where('workflowId', 'in', ids).orderBy('position').execute()
  const steps = await withApprovers(
    context,
    rows.map((row) => ({ ...row, approverRoles: row.approverRoles as ApproverRole[] })),
  )
  return workflows.map((workflow) => ({
    ...workflow,
    steps: steps.filter(({ workflowId }) => workflowId === workflow.id),
  }))
}

export type Step = Selectable<WorkflowSteps>

/** Roles whose users can decide at a step without being named there. */
export const approverRoles = ['admin', 'publisher'] as const
type ApproverRole = (typeof approverRoles)[number]

/** Without steps that were removed from their workflow. */
export const currentSteps = ({ db, accountId }: Context) =>
  db.selectFrom('workflowSteps').selectAll().where('accountId', '=', accountId).where('removed', 'is', null)

export const stepsInOrder = (context: Context, workflowId: string): Promise<Step[]> =>
  currentSteps(context).where('workflowId', '=', workflowId).orderBy('position').execute()

/** Including removed steps. */
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

/** Adds the approvers of each step; deleted users and those who may no longer approve are excluded. */
export async function withApprovers<Row extends { id: string }>({ db, accountId }: Context, steps: readonly Row[]) {
  const ids = steps.map(({ id }) => id)
  const { rows } = await sql<Approver & { stepId: string }>`
    with a as materialized ${assigned(accountId, ids)}
    select a.step_id, u.id, u.created, u.name, u.email from a join users u on u.account_id = ${accountId} and u.id = a.user_id
    where ${canApprove} order by u.id`.execute(db)
  return steps.map((step) => ({ ...step, approvers: rows.filter(({ stepId }) => stepId === step.id) }))
}

/** Whether the user `u` may approve content. */
export const canApprove = sql<boolean>`u.status = 'active' and u.role in ('admin', 'publisher')`

/**
 * Users named at these steps or with one of their roles, as rows of `step_id` and `user_id`, whether or not they may still approve. Queries
 * that join it materialize it first: a nested loop would otherwise collect it again for every user.
 */
export const assigned = (accountId: string, stepIds: readonly string[]): RawBuilder<unknown> => sql`(
  select n.step_id, n.user_id from workflow_approvers n where n.account_id = ${accountId} and n.step_id = any (${stepIds})
  union select s.id, r.id from workflow_steps s
  join users r on r.account_id = ${accountId} and r.status = 'active' and r.role in ('admin', 'publisher') and r.role = any (s.approver_roles)
  where s.account_id = ${accountId} and s.id = any (${stepIds}))`

/** Of these steps, those that had approvers and have none left. A step that never had an approver is for admins and is not included. */
export async function abandonedSteps(
  { db, accountId }: Context,
  steps: readonly Pick<Step, 'id' | 'approverRoles'>[],
): Promise<string[]> {
  const ids = steps.map(({ id }) => id)
  const { rows } = await sql<{ stepId: string; canDecide: boolean }>`
    with a as materialized ${assigned(accountId, ids)}
    select a.step_id, ${canApprove} as can_decide from a join users u on u.account_id = ${accountId} and u.id = a.user_id`.execute(
    db,
  )
  const hadApprovers = new Set([
    ...rows.map(({ stepId }) => stepId),
    ...steps.filter((step) => step.approverRoles.length > 0).map(({ id }) => id),
  ])
  const hasApprovers = new Set(rows.filter(({ canDecide }) => canDecide).map(({ stepId }) => stepId))
  return ids.filter((id) => hadApprovers.has(id) && !hasApprovers.has(id))
}

/** Created with a new account: one step at which any admin or publisher decides. */
export async function createDefaultWorkflow({ db, accountId, now }: Context) {
  const workflowId = newId(scopeIds.workflow, now)
  await db
    .insertInto('workflows')
    .values({
      accountId,
      id: workflowId,
      created: now,
      modified: now,
      createdBy: '',
      name: 'Default approval',
      isDefault: true,
    })
    .execute()
  await db
    .insertInto('workflowSteps')
    .values({
      accountId,
      id: newId(approvalIds.workflowStep, now),
      created: now,
      workflowId,
      position: 0,
      name: 'Approval',
      mustBeApprovedByEveryone: false,
      approverRoles: ['admin', 'publisher'],
    })
    .execute()
}

export type LockedWorkflow = Selectable<Workflows> & { isSeen: boolean }

const attempts = 5

/**
 * Locks workflows together with the default one against changes of their steps. Ordered by id in one statement: an item may move from any
 * of them to the default. `isSeen` is whether the caller may see the workflow.
 */
export async function lockWorkflows(
  context: Context,
  ids: readonly string[],
  strength: 'share' | 'update' = 'share',
): Promise<LockedWorkflow[]> {
  const { db, accountId } = context
  for (let attempt = 0; attempt < attempts; attempt++) {
    const rows = await db
      .selectFrom('workflows')
      .selectAll()
      .select(withinTeams(context, 'workflows.id').as('isSeen'))
      .where('accountId', '=', accountId)
      .where(sql<boolean>`(id = any (${ids}) or is_default)`)
      .orderBy('id')
      .modifyEnd(lockRows('workflows', strength))
      .execute()
    // None is the default if another workflow became it while this statement waited for the lock.
    if (rows.some(({ isDefault }) => isDefault)) return rows
  }
  throw new Error(`The account ${accountId} has no default workflow.`)
}

/** The first step of the default workflow, which the caller has locked. */
export const defaultStep = ({ db, accountId }: Context): Promise<Step> =>
  db
    .selectFrom('workflowSteps as s')
    .innerJoin('workflows as w', (join) => join.on('w.accountId', '=', accountId).onRef('w.id', '=', 's.workflowId'))
    .selectAll('s')
    .where('s.accountId', '=', accountId)
    .where('s.removed', 'is', null)
    .where('w.isDefault', '=', true)
    .orderBy('s.position')
    .limit(1)
    .executeTakeFirstOrThrow()
