import type { Context } from '#kernel/context.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { isId, newId } from '#kernel/ids.ts'
import { may } from '#kernel/permissions.ts'
import { visible as visibleWorkflows } from '../workflow/workflow.ts'
import { stepsInOrder } from '../workflow/workflow-step.ts'
import { announceItem } from './approval.events.ts'
import { approversOf } from './approvers.ts'
import type { Description } from './entity-kind.ts'
import { findEntity, holdEntity, kindOf } from './entity-kinds.ts'
import { changeItem, type Item, lockItem, pending } from './item.ts'
import { enterStep } from './step-entry.ts'

/** Takes content back from going out, if it was to, and lets it wait at the first step of a workflow. */
export async function sendToApproval(
  context: Context,
  { entityId, workflowId }: { entityId: string; workflowId: string },
): Promise<Item> {
  const { db, accountId, userId, now } = context
  await requireEntity(context, entityId)
  const entity = await holdEntity(context, entityId)
  const step = await firstStep(context, workflowId)
  const waiting = await pendingItem(context, entityId)
  if (waiting) throw conflict(`It waits for approval already, at the step "${waiting.stepName}".`)
  await entity.submit()
  const made = { accountId, id: newId('workflowItem', now), created: now, modified: now, createdBy: userId }
  const place = { workflowId, stepId: step.id, entityId, ...aboutOf(await requireEntity(context, entityId)) }
  const item = await db
    .insertInto('workflowItems')
    .values({ ...made, ...place, status: 'pending' })
    .returningAll()
    .executeTakeFirstOrThrow()
  await announceItem(context, 'newApprovalItem', item, '')
  return enterStep(context, item, step)
}

/** The item by which content waits for approval, if it does. */
export const pendingItem = ({ db, accountId }: Context, entityId: string) =>
  db
    .selectFrom('workflowItems as i')
    .innerJoin('workflowSteps as s', (join) =>
      join.onRef('s.accountId', '=', 'i.accountId').onRef('s.id', '=', 'i.stepId'),
    )
    .selectAll('i')
    .select('s.name as stepName')
    .where('i.accountId', '=', accountId)
    .where('i.entityId', '=', entityId)
    .where('i.status', '=', pending)
    .executeTakeFirst()

/**
 * Content was changed by somebody who holds it: what was approved is no longer what would go out, so that approval begins anew,
 * also of the posts made from a message. Does nothing where nothing waits.
 */
export async function restartApproval(context: Context, entityId: string): Promise<void> {
  for (const waiting of await waitingFor(context, entityId)) {
    const item = await lockItem(context, waiting)
    const [first] = await stepsInOrder(context, item.workflowId)
    const found = await kindOf(item.entityId)?.describe(context, item.entityId)
    const restarted = await changeItem(context, item, { ...(found && aboutOf(found)), round: item.round + 1 })
    if (first) await enterStep(context, restarted, first)
  }
}

/** Whether the caller, who sees the item, may decide on it at its present step. */
export async function mayDecide(context: Context, item: Item): Promise<boolean> {
  if (!may(context.role, 'approve')) return false
  const approvers = await approversOf(context, item)
  return approvers.length === 0 || approvers.some(({ id }) => id === context.userId)
}

/** Where a workflow that takes new items begins; its steps stay as they are until the item waits there. */
async function firstStep(context: Context, workflowId: string) {
  const workflow = await visibleWorkflows(context).where('id', '=', workflowId).forShare().executeTakeFirst()
  if (!workflow) throw invalid(`workflowId names no workflow: "${workflowId.slice(0, 40)}".`)
  const [step] = await stepsInOrder(context, workflowId)
  if (workflow.status === 'inactive' || !step)
    throw conflict(`The workflow "${workflow.name}" is not in use. Choose another one.`)
  return step
}

async function requireEntity(context: Context, entityId: string): Promise<Description> {
  const found = await findEntity(context, entityId)
  if (!found) throw invalid(`entityId names no post or message: "${entityId.slice(0, 40)}".`)
  return found
}

/** What an item keeps of its content. */
const aboutOf = ({ scopeId, messageId, postId, storyId, network }: Description) => ({
  scopeId,
  messageId,
  postId,
  storyId,
  network,
})

function waitingFor({ db, accountId }: Context, entityId: string): Promise<Item[]> {
  const posts = db.selectFrom('posts').select('id').where('accountId', '=', accountId).where('messageId', '=', entityId)
  return db
    .selectFrom('workflowItems')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('status', '=', pending)
    .where((row) =>
      isId('message', entityId)
        ? row.or([row('entityId', '=', entityId), row('entityId', 'in', posts)])
        : row('entityId', '=', entityId),
    )
    .orderBy('entityId')
    .execute()
}
