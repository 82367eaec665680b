import type { Context } from '#kernel/context.ts'
import { conflict, forbidden, invalid, Refusal } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import {
  type Approvable,
  type Approvables,
  type Description,
  describeOne,
  findSeen,
  kindNames,
  type Orphan,
} from '../approvable.ts'
import { approvalIds } from '../declarations.ts'
import { mayDecide } from '../item/approvers.ts'
import { announceItem } from '../item/item.events.ts'
import { changeItem, currentItem, type Item, lockItem, storeContent, wasRejected } from '../item/item.ts'
import { enterStep } from '../item/item-step.ts'
import {
  defaultStep,
  type LockedWorkflow,
  lockWorkflows,
  type Step,
  stepOf,
  stepsInOrder,
} from '../workflow/workflow.ts'

interface Submission {
  entityId: string
  workflowId: string
}

/** Submits content of any kind by its id. */
export async function submitNamed(context: Context, approvables: Approvables, submission: Submission): Promise<Item> {
  const { entityId } = submission
  const approvable = await findSeen(context, approvables, entityId)
  if (!approvable) throw invalid(`entityId names no ${kindNames(approvables)}: "${entityId.slice(0, 40)}".`)
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
  const item = await currentItem(context, entityId)
  const isInDefault = workflows.some(({ id, isDefault }) => isDefault && id === item?.workflowId && id !== workflowId)
  if (item && isInDefault && (await mayTransfer(context, item)))
    return enterStep(context, approvable, await lockItem(context, item), step)
  if (item) await requireMayChoose(context, item, workflow)
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
    await storeContent(context, approvable, restarted)
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
async function requireMayChoose(context: Context, item: Item, workflow: LockedWorkflow) {
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
  const itemPlace = { workflowId: step.workflowId, stepId: step.id, entityId, ...about }
  const item = await db
    .insertInto('workflowItems')
    .values({ ...made, ...itemPlace, status: 'pending', waitingSince: now })
    .returningAll()
    .executeTakeFirstOrThrow()
  await storeContent(context, approvable, item)
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

export const repairOrphans = { name: 'approval.repair-orphans', queue: 'housekeeping' } as const

/**
 * Submits content that is pending approval without an item to the default workflow, so that it becomes visible to approvers. Versions
 * without a default workflow left such content behind, and imported data may contain some.
 */
export const repairOrphansJob = (approvables: Approvables): Job<Record<string, never>> =>
  job(repairOrphans.name, {
    ...repairOrphans,
    timeout: 600_000,
    run: (context) =>
      forEachAccount(context, async (accountId) => {
        for (const approvable of approvables)
          for (const orphan of await context.transaction(accountId, (account) => approvable.findOrphans(account))) {
            if (context.signal.aborted) return
            await context
              .transaction(accountId, (account) => repair(account, approvable, orphan))
              .catch((error: unknown) => {
                // Deleted or being sent right now: the next run checks again.
                if (!(error instanceof Refusal)) throw error
              })
          }
      }),
  })

async function repair(context: Context, approvable: Approvable, { id, createdBy }: Orphan) {
  const held = await approvable.hold(context, id)
  // It may have been submitted before it was locked.
  const latest = await latestItem(context, id)
  if (latest?.status === 'pending') return
  // A user withdrew it from its workflow, so it is a draft and not pending.
  if (latest?.status === 'removed') await held.withdrawn({ wasRejected: await wasRejected(context, id) })
  else {
    await held.submitted()
    await submitToDefault({ ...context, userId: createdBy }, approvable, { entityId: id, createdBy })
  }
}

const latestItem = ({ db, accountId }: Context, entityId: string) =>
  db
    .selectFrom('workflowItems')
    .select('status')
    .where('accountId', '=', accountId)
    .where('entityId', '=', entityId)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
