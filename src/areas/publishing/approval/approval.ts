import type { Context } from '#kernel/context.ts'
import { conflict, forbidden, invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { visible as visibleWorkflows } from '../workflow/workflow.ts'
import { type Step, stepOf, stepsInOrder } from '../workflow/workflow-step.ts'
import { announceItem } from './approval.events.ts'
import { mayDecide } from './approvers.ts'
import type { Description } from './entity-kind.ts'
import { findEntity, holdEntity, kindOf } from './entity-kinds.ts'
import { changeItem, type Item, lockItem, standingItem } from './item.ts'
import { enterStep } from './step-entry.ts'

/** Takes content back from going out, if it was to, and lets it wait at the first step of a workflow. */
export async function sendToApproval(
  context: Context,
  { entityId, workflowId }: { entityId: string; workflowId: string },
): Promise<Item> {
  await requireEntity(context, entityId)
  const entity = await holdEntity(context, entityId)
  const step = await firstStep(context, workflowId)
  await refuseWayAround(context, entityId, workflowId)
  await entity.submit()
  return insertItem(context, await requireEntity(context, entityId), { entityId, createdBy: context.userId }, step)
}

/**
 * Lets content, which the caller holds and has made a draft of, wait at step one again: somebody wants to schedule what was not
 * approved, or has changed what was. An item that waits begins a new round; after a decision there is a new item.
 */
export async function sendAgain(context: Context, item: Item): Promise<void> {
  const { entityId, workflowId, status } = item
  const found = await kindOf(entityId)?.describe(context, entityId)
  if (!found) throw new Error(`${entityId} was to be approved anew, but is gone.`)
  if (status === 'pending') {
    const held = await lockItem(context, item)
    const restarted = await changeItem(context, held, { ...aboutOf(found), round: held.round + 1 })
    const [first] = await stepsInOrder(context, workflowId)
    if (first) await enterStep(context, restarted, first)
    return
  }
  const step = await firstStepOf(context, await holdWorkflow(context, workflowId))
  // Whoever changes what was approved has not sent it to the workflow, and so cannot take it out again.
  const createdBy = status === 'approved' ? item.createdBy : context.userId
  await insertItem(context, found, { entityId, createdBy }, step)
}

/** While content waits or was rejected, its approvers alone decide where it goes. */
async function refuseWayAround(context: Context, entityId: string, workflowId: string) {
  const item = await standingItem(context, entityId)
  if (!item || item.status === 'approved') return
  const { name } = await stepOf(context, item.stepId)
  if (item.status === 'pending') throw conflict(`It waits for approval already, at the step "${name}".`)
  if (item.workflowId === workflowId || (await mayDecide(context, item))) return
  throw forbidden(
    `It was rejected at the step "${name}". Send it to the same workflow again; only approvers of that step and admins choose another.`,
  )
}

async function insertItem(
  context: Context,
  about: Description,
  { entityId, createdBy }: Pick<Item, 'entityId' | 'createdBy'>,
  step: Step,
): Promise<Item> {
  const { db, accountId, now } = context
  const made = { accountId, id: newId('workflowItem', now), created: now, modified: now, createdBy }
  const place = { workflowId: step.workflowId, stepId: step.id, entityId, ...aboutOf(about) }
  const item = await db
    .insertInto('workflowItems')
    .values({ ...made, ...place, status: 'pending' })
    .returningAll()
    .executeTakeFirstOrThrow()
  await announceItem(context, 'newApprovalItem', item, '')
  return enterStep(context, item, step)
}

/** Where a workflow that the caller names begins; its steps stay as they are until the item waits there. */
async function firstStep(context: Context, workflowId: string): Promise<Step> {
  const workflow = await visibleWorkflows(context).where('id', '=', workflowId).forShare().executeTakeFirst()
  if (!workflow) throw invalid(`workflowId names no workflow: "${workflowId.slice(0, 40)}".`)
  return firstStepOf(context, workflow)
}

/** The workflow that content was in, whoever may see that. */
const holdWorkflow = ({ db, accountId }: Context, id: string) =>
  db
    .selectFrom('workflows')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .forShare()
    .executeTakeFirstOrThrow()

async function firstStepOf(context: Context, workflow: { id: string; name: string; status: string }): Promise<Step> {
  const [step] = await stepsInOrder(context, workflow.id)
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
