import type { Context } from '#kernel/context.ts'
import { conflict, forbidden, invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { type Approvable, type Approvables, type Description, describeOne, findSeen, wordsFor } from '../approvable.ts'
import { approvalIds } from '../declarations.ts'
import { announceItem } from '../item/item.events.ts'
import { changeItem, type Item, lockItem, standingItem } from '../item/item.ts'
import { mayDecide } from '../item/people.ts'
import { enterStep } from '../item/telling.ts'
import { keepWording } from '../item/wording.ts'
import {
  defaultStep,
  type LockedWorkflow,
  lockWorkflows,
  type Step,
  stepOf,
  stepsInOrder,
} from '../workflow/workflow-step.ts'

interface Submission {
  entityId: string
  workflowId: string
}

/** Submits content of any kind by its id. */
export async function submitNamed(context: Context, approvables: Approvables, submission: Submission): Promise<Item> {
  const { entityId } = submission
  const approvable = await findSeen(context, approvables, entityId)
  if (!approvable) throw invalid(`entityId names no ${wordsFor(approvables)}: "${entityId.slice(0, 40)}".`)
  return submit(context, approvable, submission)
}

/** Unschedules content if needed and submits it to the first step of a workflow. */
export async function submit(
  context: Context,
  approvable: Approvable,
  { entityId, workflowId }: Submission,
): Promise<Item> {
  const held = await approvable.hold(context, entityId)
  const workflows = await lockWorkflows(context, [workflowId])
  const workflow = workflows.find(({ id }) => id === workflowId)
  if (!workflow?.isSeen) throw invalid(`workflowId names no workflow: "${workflowId.slice(0, 40)}".`)
  const step = await firstStep(context, workflow)
  if (!step) throw conflict(`The workflow "${workflow.name}" is not in use. Choose another one.`)
  const item = await standingItem(context, entityId)
  const isInDefault = workflows.some(({ id, isDefault }) => isDefault && id === item?.workflowId && id !== workflowId)
  if (item && isInDefault && (await mayTransfer(context, item)))
    return enterStep(context, approvable, await lockItem(context, item), step)
  if (item) await refuseWayAround(context, item, workflow)
  await held.submitted()
  return insertItem(context, approvable, { entityId, createdBy: context.userId }, step)
}

/** Submits content to the default workflow. The caller has locked it and made it a draft pending approval. */
export async function submitToDefault(
  context: Context,
  approvable: Approvable,
  about: Pick<Item, 'entityId' | 'createdBy'>,
): Promise<Item> {
  await lockWorkflows(context, [])
  return insertItem(context, approvable, about, await defaultStep(context))
}

/**
 * Submits content to the first step again, because unapproved content is to be scheduled or approved content was changed. The caller has
 * locked it and made it a draft. A pending item starts a new round; after a decision a new item is created, in the default workflow if the
 * previous one is inactive.
 */
export async function submitAgain(context: Context, approvable: Approvable, item: Item): Promise<void> {
  const { entityId, workflowId, status } = item
  if (status === 'pending') {
    const locked = await lockItem(context, item)
    const about = aboutOf(await describeHeld(context, approvable, entityId))
    const restarted = await changeItem(context, locked, { ...about, round: locked.round + 1 })
    await keepWording(context, approvable, restarted)
    const [first] = await stepsInOrder(context, locked.workflowId)
    await enterStep(context, approvable, restarted, first ?? (await defaultStep(context)))
    return
  }
  const workflow = (await lockWorkflows(context, [workflowId])).find(({ id }) => id === workflowId)
  const step = (workflow && (await firstStep(context, workflow))) ?? (await defaultStep(context))
  // A user who changes approved content did not submit it to the workflow, and so cannot withdraw it.
  const createdBy = status === 'approved' ? item.createdBy : context.userId
  await insertItem(context, approvable, { entityId, createdBy }, step)
}

/** Content is in the default workflow because no workflow was chosen. Its owner and its approvers may still choose one. */
const mayTransfer = async (context: Context, item: Item) =>
  item.status === 'pending' && (item.createdBy === context.userId || (await mayDecide(context, item)))

/** While content is pending or rejected, only its approvers choose its workflow. An inactive workflow is replaced by the default one. */
async function refuseWayAround(context: Context, item: Item, workflow: LockedWorkflow) {
  if (item.status === 'approved') return
  const { name } = await stepOf(context, item.stepId)
  if (item.status === 'pending') throw conflict(`It waits for approval already, at the step "${name}".`)
  if (item.workflowId === workflow.id || (await mayDecide(context, item))) return
  if (workflow.isDefault && !(await isInUse(context, item.workflowId))) return
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
  const made = { accountId, id: newId(approvalIds.workflowItem, now), created: now, modified: now, createdBy }
  const place = { workflowId: step.workflowId, stepId: step.id, entityId, ...about }
  const item = await db
    .insertInto('workflowItems')
    .values({ ...made, ...place, status: 'pending', waitingSince: now })
    .returningAll()
    .executeTakeFirstOrThrow()
  await keepWording(context, approvable, item)
  const entered = await enterStep(context, approvable, item, step)
  await announceItem(context, 'newApprovalItem', entered, '')
  return entered
}

/** The first step of a locked workflow; undefined if the workflow is inactive. */
async function firstStep(context: Context, { id, status }: LockedWorkflow): Promise<Step | undefined> {
  return status === 'active' ? (await stepsInOrder(context, id))[0] : undefined
}

async function isInUse({ db, accountId }: Context, workflowId: string): Promise<boolean> {
  const workflow = await db
    .selectFrom('workflows')
    .select('status')
    .where('accountId', '=', accountId)
    .where('id', '=', workflowId)
    .executeTakeFirst()
  return workflow?.status === 'active'
}

async function describeHeld(context: Context, approvable: Approvable, entityId: string): Promise<Description> {
  const found = await describeOne(context, approvable, entityId)
  if (!found) throw new Error(`${entityId} was to be approved, but is gone.`)
  return found
}

/** The fields of the content that are stored with an item. */
const aboutOf = ({ scopeId, messageId = '', postId = '', storyId = '', network }: Description) => ({
  scopeId,
  messageId,
  postId,
  storyId,
  network,
})
