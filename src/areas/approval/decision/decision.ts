import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { conflict, forbidden, Refusal } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { may } from '#kernel/permissions.ts'
import { type Approvable, type Approvables, approvableOf, type Held } from '../approvable.ts'
import { approversOf, mayDecide } from '../item/approvers.ts'
import { announceItem } from '../item/item.events.ts'
import { changeItem, findItem, type Item, lockItem, notifyItemsChanged, visible, wasRejected } from '../item/item.ts'
import { enterStep, notifyCreator } from '../item/item-step.ts'
import { addNote } from '../item/note.ts'
import { type Step, stepOf, stepsInOrder } from '../workflow/workflow.ts'

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
  const waiting = await lockPending(context, approvables, found)
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

export interface Decided {
  id: string
  /** The new status; empty if it was refused. */
  status: string
  /** The reason for the refusal. */
  problem: string
}

interface Decisions {
  items: readonly { id: string; stepId?: string | undefined; round?: number | undefined }[]
  isApprove: boolean
  note?: string | undefined
}

/** Decides on several items independently: a refusal does not affect the others. */
export async function decideSeveral(
  io: ExternalIo,
  approvables: Approvables,
  { items, isApprove, note }: Decisions,
): Promise<Decided[]> {
  const answers: Decided[] = []
  for (const { id, stepId, round } of items) {
    const response = await io
      .step(async (context) => {
        if (round !== undefined) await requireRound(context, id, round)
        return decide(context, approvables, { id, stepId, isApprove, note })
      })
      .then(({ status }) => ({ id, status, problem: '' }))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error
        return { id, status: '', problem: error.message }
      })
    answers.push(response)
  }
  return answers
}

/** Records the number of decisions in the audit log. */
export async function reportDecisions(context: Context, answers: readonly Decided[]) {
  const decided = answers.filter(({ problem }) => problem === '')
  const [first = answers[0]] = decided
  if (first) context.about({ id: first.id, count: decided.length })
  return { items: answers }
}

/** The caller has reviewed the content of one round; a decision must not apply to another. */
async function requireRound(context: Context, id: string, round: number) {
  const item = await visible(context).select('round').where('id', '=', id).executeTakeFirst()
  if (item && item.round !== round)
    throw conflict('It was changed since you looked at it. Look at it again before you decide.')
}

/** Removes an item from its workflow; its content becomes a draft. */
export async function withdraw(context: Context, approvables: Approvables, { id }: { id: string }) {
  const { item, held } = await lockPending(context, approvables, await findItem(context, id))
  if (item.createdBy !== context.userId && !(await mayDecide(context, item)))
    throw forbidden(
      'Only whoever sent it to approval, an approver of its step or an admin takes it out of its workflow.',
    )
  await held.withdrawn({ wasRejected: await wasRejected(context, item.entityId) })
  await changeItem(context, item, { status: 'removed' })
}

/** A pending item and its content, both locked. */
interface Pending {
  item: Item
  approvable: Approvable
  held: Held
}

/** Lock order: content before items, as for changes and deletions of content. */
async function lockPending(context: Context, approvables: Approvables, found: Item): Promise<Pending> {
  const approvable = approvableOf(approvables, found.entityId)
  if (!approvable) throw new Error(`Nothing is known about approving ${found.entityId}.`)
  const held = await approvable.hold(context, found.entityId)
  return { approvable, held, item: await lockItem(context, found) }
}

/** Moves the item to the next step, or approves the content after the last one. */
async function moveOn(context: Context, waiting: Pending, step: Step, note: string): Promise<Item> {
  const next = await stepAfter(context, step)
  return next ? enterStep(context, waiting.approvable, waiting.item, next) : approve(context, waiting, note)
}

/** Whether all of these users have approved at the item's step in its current round. */
async function isApprovedBy(context: Context, item: Item, people: readonly { id: string }[]): Promise<boolean> {
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

async function reject(context: Context, { item, approvable, held }: Pending, note: string): Promise<Item> {
  await held.rejected()
  const rejected = await changeItem(context, item, { status: 'rejected' })
  await announceItem(context, 'approvalItemRejected', rejected, note)
  await notifyCreator(context, approvable, rejected, note)
  return rejected
}

async function stepAfter(context: Context, { workflowId, position }: Step): Promise<Step | undefined> {
  const steps = await stepsInOrder(context, workflowId)
  return steps.find((step) => step.position > position)
}

async function approve(context: Context, { item, approvable, held }: Pending, note: string): Promise<Item> {
  await held.approved()
  const approved = await changeItem(context, item, { status: 'approved' })
  await announceItem(context, 'approvalItemApproved', approved, note)
  await notifyCreator(context, approvable, approved, note)
  return approved
}

export const settleItems = { name: 'approval.settle-items', queue: 'housekeeping' } as const

/**
 * Advances items whose remaining approvers have all approved because another one was deleted, lost permission to approve or can no longer
 * see the campaign. No decision is made at that moment, so nothing else would advance them.
 */
export const settleItemsJob = (approvables: Approvables): Job<Record<string, never>> =>
  job(settleItems.name, {
    ...settleItems,
    timeout: 600_000,
    async run({ shared, transaction, signal }) {
      const { rows } = await sql<{ id: string }>`select chorus_account_ids() as id`.execute(shared)
      const failures: unknown[] = []
      for (const { id: accountId } of rows)
        for (const item of await transaction(accountId, begunItems)) {
          if (signal.aborted) return
          await transaction(accountId, (context) => settle(context, approvables, item)).catch((error) => {
            // Items that cannot advance yet, for example because a message they depend on is not approved, are retried in the next run.
            if (!(error instanceof Refusal)) failures.push(error)
          })
        }
      // A failure does not hold up the other items.
      if (failures.length > 0) throw failures[0]
    },
  })

type BegunItem = Item & { lastUserId: string }

/** Items at steps that everyone has to approve, with at least one approval there, and the user who approved last. */
async function begunItems({ db, accountId }: Context): Promise<BegunItem[]> {
  const { rows } = await sql<BegunItem>`
    select i.*, d.user_id as last_user_id from workflow_items i
    join workflow_steps s on s.account_id = ${accountId} and s.id = i.step_id and s.must_be_approved_by_everyone
    join lateral (
      select user_id from workflow_decisions d where d.account_id = ${accountId} and d.item_id = i.id and d.round = i.round
        and d.step_id = i.step_id and d.is_approve order by d.created desc, d.user_id limit 1) d on true
    where i.account_id = ${accountId} and i.status = 'pending' order by i.id`.execute(db)
  return rows
}

async function settle(context: Context, approvables: Approvables, { lastUserId, ...found }: BegunItem) {
  const waiting = await lockPending(context, approvables, found)
  const { item } = waiting
  const approvers = await approversOf(context, item)
  // Without any remaining approver, the admins decide.
  if (approvers.length === 0 || !(await isApprovedBy(context, item, approvers))) return
  const isSame = item.round === found.round && item.stepId === found.stepId
  if (isSame) await moveOn({ ...context, userId: lastUserId }, waiting, await stepOf(context, item.stepId), '')
}
