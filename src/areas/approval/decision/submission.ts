import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { conflict, forbidden, invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { type Approvable, type Approvables, type Description, describeOne, findSeen, wordsFor } from '../approvable.ts'
import { announceItem } from '../item/item.events.ts'
import { type Item, lockItem, standingItem } from '../item/item.ts'
import { changeItem } from '../item/item-change.ts'
import { mayDecide } from '../item/people.ts'
import { enterStep } from '../item/telling.ts'
import { keepWording } from '../item/wording.ts'
import { visible as visibleWorkflows } from '../workflow/workflow.ts'
import { type Step, stepOf, stepsInOrder } from '../workflow/workflow-step.ts'

interface Submission {
  entityId: string
  workflowId: string
}

/** Sends to approval what a caller names, of whatever kind it is. */
export async function submitNamed(context: Context, approvables: Approvables, submission: Submission): Promise<Item> {
  const { entityId } = submission
  const approvable = await findSeen(context, approvables, entityId)
  if (!approvable) throw invalid(`entityId names no ${wordsFor(approvables)}: "${entityId.slice(0, 40)}".`)
  return submit(context, approvable, submission)
}

/** Takes content back from going out, if it was to, and lets it wait at the first step of a workflow. */
export async function submit(
  context: Context,
  approvable: Approvable,
  { entityId, workflowId }: Submission,
): Promise<Item> {
  const held = await approvable.hold(context, entityId)
  const step = await firstStep(context, workflowId)
  await refuseWayAround(context, entityId, workflowId)
  await held.submitted()
  return insertItem(context, approvable, { entityId, createdBy: context.userId }, step)
}

/**
 * Lets content, which the caller holds and has made a draft of, wait at step one again: somebody wants to schedule what was not
 * approved, or has changed what was. An item that waits begins a new round; after a decision there is a new item.
 */
export async function submitAgain(context: Context, approvable: Approvable, item: Item): Promise<void> {
  const { entityId, workflowId, status } = item
  if (status === 'pending') {
    const locked = await lockItem(context, item)
    const about = aboutOf(await describeHeld(context, approvable, entityId))
    const restarted = await changeItem(context, locked, { ...about, round: locked.round + 1 })
    await keepWording(context, approvable, restarted)
    const [first] = await stepsInOrder(context, workflowId)
    if (first) await enterStep(context, approvable, restarted, first)
    return
  }
  const step = await firstStepOf(context, await holdWorkflow(context, workflowId))
  // Whoever changes what was approved has not sent it to the workflow, and so cannot take it out again.
  const createdBy = status === 'approved' ? item.createdBy : context.userId
  await insertItem(context, approvable, { entityId, createdBy }, step)
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
  approvable: Approvable,
  { entityId, createdBy }: Pick<Item, 'entityId' | 'createdBy'>,
  step: Step,
): Promise<Item> {
  const { db, accountId, now } = context
  const about = aboutOf(await describeHeld(context, approvable, entityId))
  const made = { accountId, id: newId('workflowItem', now), created: now, modified: now, createdBy }
  const place = { workflowId: step.workflowId, stepId: step.id, entityId, ...about }
  const item = await db
    .insertInto('workflowItems')
    .values({ ...made, ...place, status: 'pending', waitingSince: now })
    .returningAll()
    .executeTakeFirstOrThrow()
  await keepWording(context, approvable, item)
  await announceItem(context, 'newApprovalItem', item, '')
  return enterStep(context, approvable, item, step)
}

/** Where a workflow that the caller names begins; its steps stay as they are until the item waits there. */
async function firstStep(context: Context, workflowId: string): Promise<Step> {
  const workflow = await visibleWorkflows(context)
    .where('id', '=', workflowId)
    .modifyEnd(heldRows('workflows', 'share'))
    .executeTakeFirst()
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
    .modifyEnd(heldRows('workflows', 'share'))
    .executeTakeFirstOrThrow()

async function firstStepOf(context: Context, workflow: { id: string; name: string; status: string }): Promise<Step> {
  const [step] = await stepsInOrder(context, workflow.id)
  if (workflow.status === 'inactive' || !step)
    throw conflict(`The workflow "${workflow.name}" is not in use. Choose another one.`)
  return step
}

async function describeHeld(context: Context, approvable: Approvable, entityId: string): Promise<Description> {
  const found = await describeOne(context, approvable, entityId)
  if (!found) throw new Error(`${entityId} was to be approved, but is gone.`)
  return found
}

/** What an item keeps of its content. */
const aboutOf = ({ scopeId, messageId = '', postId = '', storyId = '', network }: Description) => ({
  scopeId,
  messageId,
  postId,
  storyId,
  network,
})
