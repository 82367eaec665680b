import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import { type ApproverRole, currentSteps, type Step, withApprovers } from './workflow-step.ts'

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
