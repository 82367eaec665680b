import type { Context } from '#kernel/context.ts'
import { conflict, forbidden } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { type Step, stepOf, stepsInOrder } from '../workflow/workflow-step.ts'
import { announceItem } from './approval.events.ts'
import { tellCreator } from './approval-mail.ts'
import { approversOf } from './approvers.ts'
import type { HeldEntity } from './entity-kind.ts'
import { holdEntity } from './entity-kinds.ts'
import { changeItem, findItem, type Item, lockItem } from './item.ts'
import { enterStep } from './step-entry.ts'
import { addNote } from './workflow-note.ts'

interface Decision {
  /** Of the item, or of what it is about. */
  id: string
  isApprove: boolean
  note?: string | undefined
  /** Where the caller believes the item to be. */
  stepId?: string | undefined
}

/** Approves or rejects at the item's present step. Two who decide at the same moment do so one after the other. */
export async function decide(context: Context, { id, isApprove, note = '', stepId = '' }: Decision): Promise<Item> {
  const found = await findItem(context, id)
  const entity = await holdEntity(context, found.entityId)
  const item = await lockItem(context, found)
  const step = await stepOf(context, item.stepId)
  if (item.round !== found.round) throw conflict('It was changed just now. Look at it again before you decide.')
  if ((stepId || found.stepId) !== step.id) throw conflict(`The item is not at that step; it waits at "${step.name}".`)
  const approvers = await approversOf(context, item)
  const isNamed = approvers.some((approver) => approver.id === context.userId)
  if (!isNamed && !may(context.role, 'administer'))
    throw forbidden(
      `Only the approvers of the step "${step.name}" and admins decide on this item, and you are none of them.`,
    )
  await record(context, item, isApprove, note)
  if (note) await addNote(context, item.entityId, note)
  if (!isApprove) return reject(context, item, entity, note)
  // An admin who steps in decides for all of them.
  if (step.mustBeApprovedByEveryone && isNamed && !(await isApprovedBy(context, item, approvers))) return item
  return moveOn(context, item, step, entity, note)
}

/** Goes on to the next step, or out. */
export async function moveOn(context: Context, item: Item, step: Step, entity: HeldEntity, note: string) {
  const next = await stepAfter(context, step)
  return next ? enterStep(context, item, next) : approve(context, item, entity, note)
}

/** Whether all of these people have said yes at the item's step, in its present round. */
export async function isApprovedBy(context: Context, item: Item, people: readonly { id: string }[]): Promise<boolean> {
  const approvals = await context.db
    .selectFrom('workflowDecisions')
    .select('userId')
    .where('accountId', '=', context.accountId)
    .where('itemId', '=', item.id)
    .where('round', '=', item.round)
    .where('stepId', '=', item.stepId)
    .where('isApprove', '=', true)
    .execute()
  return people.every(({ id }) => approvals.some(({ userId }) => userId === id))
}

/** Whoever decides again at the same step has changed their mind. */
async function record({ db, accountId, userId, now }: Context, item: Item, isApprove: boolean, note: string) {
  const { id: itemId, round, stepId } = item
  await db
    .insertInto('workflowDecisions')
    .values({ accountId, itemId, round, stepId, userId, created: now, isApprove, note })
    .onConflict((on) =>
      on.columns(['accountId', 'itemId', 'round', 'stepId', 'userId']).doUpdateSet({ created: now, isApprove, note }),
    )
    .execute()
}

async function reject(context: Context, item: Item, entity: HeldEntity, note: string): Promise<Item> {
  await entity.reject()
  const rejected = await changeItem(context, item, { status: 'rejected' })
  await announceItem(context, 'approvalItemRejected', rejected, note)
  await tellCreator(context, rejected, note)
  return rejected
}

async function stepAfter(context: Context, { workflowId, position }: Step): Promise<Step | undefined> {
  const steps = await stepsInOrder(context, workflowId)
  return steps.find((step) => step.position > position)
}

async function approve(context: Context, item: Item, entity: HeldEntity, note: string): Promise<Item> {
  await entity.approve()
  const approved = await changeItem(context, item, { status: 'approved' })
  await announceItem(context, 'approvalItemApproved', approved, note)
  await tellCreator(context, approved, note)
  return approved
}
