import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { withApprovers } from '../workflow/workflow-step.ts'
import { type Item, pending, visible, withBoard } from './item.ts'
import { authorsOf } from './people.ts'

interface Search {
  stepId?: string | undefined
  workflowId?: string | undefined
  withHistory?: boolean | undefined
  withAuthors?: boolean | undefined
  withSteps?: boolean | undefined
  page: Page
}

export async function search(context: Context, { stepId = '', workflowId = '', page, ...wanted }: Search) {
  const matching = visible(context)
    .where('status', '=', pending)
    .$if(workflowId !== '', (rows) => rows.where('workflowId', '=', workflowId))
    .$if(stepId !== '', (rows) => rows.where('stepId', '=', stepId))
    // An item is visible with its content; filtering by a workflow the caller may not see returns nothing.
    .$if(workflowId !== '' || stepId !== '', (rows) => rows.where(withinTeams(context, 'workflow_items.workflow_id')))
  const { items, total } = await paginate(matching, page)
  const decisions = wanted.withHistory ? await decisionsOn(context, items) : []
  const authorIds = [...items.map(({ createdBy }) => createdBy), ...decisions.map(({ userId }) => userId)]
  const stepIds = [...items, ...decisions].map((one) => one.stepId)
  return {
    items: items.map((item) => ({
      ...withBoard(item),
      ...(wanted.withHistory && { history: decisions.filter(({ itemId }) => itemId === item.id) }),
    })),
    total,
    ...(wanted.withAuthors && { authors: await authorsOf(context, authorIds) }),
    ...(wanted.withSteps && { steps: await stepsOf(context, stepIds) }),
  }
}

const decisionsOn = ({ db, accountId }: Context, items: readonly Item[]) =>
  items.length === 0
    ? []
    : db
        .selectFrom('workflowDecisions')
        .selectAll()
        .where('accountId', '=', accountId)
        .where(
          'itemId',
          'in',
          items.map(({ id }) => id),
        )
        .orderBy('created')
        .orderBy('userId')
        .execute()

async function stepsOf(context: Context, ids: readonly string[]) {
  if (ids.length === 0) return []
  const rows = await context.db
    .selectFrom('workflowSteps')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', 'in', [...new Set(ids)])
    .where(withinTeams(context, 'workflow_steps.workflow_id'))
    .execute()
  return withApprovers(context, rows)
}
