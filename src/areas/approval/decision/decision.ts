import type { Context } from '#kernel/context.ts'
import { conflict, forbidden } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { type Approvable, type Approvables, approvableOf, type Held } from '../approvable.ts'
import { announceItem } from '../item/item.events.ts'
import { changeItem, findItem, type Item, lockItem, notifyItemsChanged, wasRejected } from '../item/item.ts'
import { approversOf, mayDecide } from '../item/people.ts'
import { enterStep, tellCreator } from '../item/telling.ts'
import { addNote } from '../note/note.ts'
import { type Step, stepOf, stepsInOrder } from '../workflow/workflow-step.ts'

interface Decision {
  /** The id of the item or of its content. */
  id: string
  isApprove: boolean
  note?: string | undefined
  /** The step at which the caller expects the item. */
  stepId?: string | undefined
}

/** Approves or rejects at the item's current step. Concurrent decisions are serialized. */
export async function decide(context: Context, approvables: Approvables, decision: Decision): Promise<Item> {
  const { id, isApprove, note = '', stepId = '' } = decision
  const found = await findItem(context, id)
  const waiting = await holdWaiting(context, approvables, found)
  const { item } = waiting
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
  if (!isApprove) return reject(context, waiting, note)
  // An admin who is not an approver of the step decides for all of them.
  if (step.mustBeApprovedByEveryone && isNamed && !(await isApprovedBy(context, item, approvers))) return item
  return moveOn(context, waiting, step, note)
}

/** Removes an item from its workflow; its content becomes a draft. */
export async function withdraw(context: Context, approvables: Approvables, { id }: { id: string }) {
  const { item, held } = await holdWaiting(context, approvables, await findItem(context, id))
  if (item.createdBy !== context.userId && !(await mayDecide(context, item)))
    throw forbidden(
      'Only whoever sent it to approval, an approver of its step or an admin takes it out of its workflow.',
    )
  await held.withdrawn({ wasRejected: await wasRejected(context, item.entityId) })
  await changeItem(context, item, { status: 'removed' })
}

/** A pending item and its content, both locked. */
export interface Waiting {
  item: Item
  approvable: Approvable
  held: Held
}

/** Lock order: content before items, as for changes and deletions of content. */
export async function holdWaiting(context: Context, approvables: Approvables, found: Item): Promise<Waiting> {
  const approvable = approvableOf(approvables, found.entityId)
  if (!approvable) throw new Error(`Nothing is known about approving ${found.entityId}.`)
  const held = await approvable.hold(context, found.entityId)
  return { approvable, held, item: await lockItem(context, found) }
}

/** Moves the item to the next step, or approves the content after the last one. */
export async function moveOn(context: Context, waiting: Waiting, step: Step, note: string): Promise<Item> {
  const next = await stepAfter(context, step)
  return next ? enterStep(context, waiting.approvable, waiting.item, next) : approve(context, waiting, note)
}

/** Whether all of these users have approved at the item's step in its current round. */
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

/** A repeated decision at the same step replaces the previous one. */
async function record(context: Context, item: Item, isApprove: boolean, note: string) {
  const { db, accountId, userId, now } = context
  const { id: itemId, round, stepId } = item
  await db
    .insertInto('workflowDecisions')
    .values({ accountId, itemId, round, stepId, userId, created: now, isApprove, note })
    .onConflict((on) =>
      on.columns(['accountId', 'itemId', 'round', 'stepId', 'userId']).doUpdateSet({ created: now, isApprove, note }),
    )
    .execute()
  notifyItemsChanged(context, [item])
}

async function reject(context: Context, { item, approvable, held }: Waiting, note: string): Promise<Item> {
  await held.rejected()
  const rejected = await changeItem(context, item, { status: 'rejected' })
  await announceItem(context, 'approvalItemRejected', rejected, note)
  await tellCreator(context, approvable, rejected, note)
  return rejected
}

async function stepAfter(context: Context, { workflowId, position }: Step): Promise<Step | undefined> {
  const steps = await stepsInOrder(context, workflowId)
  return steps.find((step) => step.position > position)
}

async function approve(context: Context, { item, approvable, held }: Waiting, note: string): Promise<Item> {
  await held.approved()
  const approved = await changeItem(context, item, { status: 'approved' })
  await announceItem(context, 'approvalItemApproved', approved, note)
  await tellCreator(context, approvable, approved, note)
  return approved
}
