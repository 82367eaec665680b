import { sql } from 'kysely'
import { lockAccount } from '#areas/account/account.ts'
import { scopeIds, settingChanged } from '#areas/account/declarations.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import type { Approvables } from '../approvable.ts'
import { approvalIds, approvalQuotas } from '../declarations.ts'
import { lockWaiting } from '../item/item.ts'
import { moveToDefault } from '../item/item-step.ts'
import {
  abandonedSteps,
  canApprove,
  currentSteps,
  getWhole,
  lockWorkflows,
  type Step,
  stepsInOrder,
  withApprovers,
} from '../workflow/workflow.ts'
import type { StepDraft, WorkflowChanges, WorkflowDraft } from '../workflow/workflow-shape.ts'

export async function create(context: Context, approvables: Approvables, { steps, ...draft }: WorkflowDraft) {
  const { db, accountId, userId, now } = context
  const id = newId(scopeIds.workflow, now)
  await reserveQuota(context, approvalQuotas.workflows, inUse(context))
  await db
    .insertInto('workflows')
    .values({ accountId, id, created: now, modified: now, createdBy: userId, ...draft })
    .execute()
  await replaceSteps(context, approvables, id, steps)
  context.notifyChange(settingChanged)
  return getWhole(context, id)
}

/**
 * Changes a workflow. Items at a step that is removed or loses its last approver move to the default workflow, and so do all items of a
 * workflow that is deactivated.
 */
export async function update(
  context: Context,
  approvables: Approvables,
  { id, steps, isDefault, ...changes }: WorkflowChanges,
) {
  const { db, accountId, now } = context
  const before = await lock(context, id)
  const status = changes.status ?? before.status
  if (status === 'active' && before.status !== 'active')
    await reserveQuota(context, approvalQuotas.workflows, inUse(context))
  if (before.isDefault) refuseWithoutDefault(status, isDefault)
  else if (isDefault) await replaceDefault(context, before.name, status)
  await db
    .updateTable('workflows')
    .set({ ...changes, ...(isDefault && { isDefault }), modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  if (steps) await replaceSteps(context, approvables, id, steps)
  if (status === 'inactive') await moveToDefault(context, approvables, await lockWaiting(context, 'workflowId', [id]))
  context.notifyChange(settingChanged)
  return getWhole(context, id)
}

/** Soft delete: the row stays for items that went through it. */
export const retire = (context: Context, approvables: Approvables, { id }: { id: string }) =>
  update(context, approvables, { id, status: 'inactive' })

/**
 * Locks the workflow and the default one against decisions and submissions. Such changes are serialized with each other and with deletions
 * and role changes of users: of two changes that remove the last two approvers of a step, one must see that it removes the last.
 */
async function lock(context: Context, id: string) {
  await lockAccount(context)
  const workflow = (await lockWorkflows(context, [id], 'update')).find((one) => one.id === id)
  if (!workflow?.isSeen) throw missing('Workflow')
  return workflow
}

const inUse = ({ db, accountId }: Context) =>
  db.selectFrom('workflows').where('accountId', '=', accountId).where('status', '=', 'active')

function refuseWithoutDefault(status: string, isDefault: boolean | undefined) {
  if (status === 'active' && isDefault !== false) return
  throw conflict('This is the default workflow. Make another workflow the default before you put this one out of use.')
}

/** The previous default becomes an ordinary workflow; its items stay in it. */
async function replaceDefault({ db, accountId, now }: Context, name: string, status: string) {
  if (status !== 'active') throw conflict(`The workflow "${name}" is not in use, so it can't be the default one.`)
  await db
    .updateTable('workflows')
    .set({ isDefault: false, modified: now })
    .where('accountId', '=', accountId)
    .where('isDefault', '=', true)
    .execute()
}

/**
 * Replaces the steps of a workflow that the caller has locked together with the default one. Items at a step that is removed or loses its
 * last approver move to the default workflow.
 */
async function replaceSteps(
  context: Context,
  approvables: Approvables,
  workflowId: string,
  drafts: readonly StepDraft[],
) {
  const { db, accountId, now } = context
  const before = await withApprovers(context, await stepsInOrder(context, workflowId))
  const keptIds = drafts.flatMap(({ id }) => (id ? [id] : []))
  requireOwnSteps(before, keptIds)
  await requireApprovers(context, drafts)
  const goneIds = before.filter(({ id }) => !keptIds.includes(id)).map(({ id }) => id)
  const steps = db.updateTable('workflowSteps').where('accountId', '=', accountId).where('workflowId', '=', workflowId)
  if (goneIds.length > 0) await steps.set({ removed: now }).where('id', 'in', goneIds).execute()
  // Negative positions first: two steps may swap positions, which must be unique at all times.
  await steps.set({ position: sql<number>`-1 - position` }).where('removed', 'is', null).execute()
  const written: Step[] = []
  for (const [position, draft] of drafts.entries()) written.push(await writeStep(context, workflowId, position, draft))
  const after = await withApprovers(context, written)
  const leftIds = before
    .filter(({ id, approvers }) => approvers.length > 0 && after.find((step) => step.id === id)?.approvers.length === 0)
    .map(({ id }) => id)
  await moveToDefault(context, approvables, await lockWaiting(context, 'stepId', [...goneIds, ...leftIds]))
}

function requireOwnSteps(before: readonly Step[], remainingIds: readonly string[]) {
  const unknown = remainingIds.find((id) => !before.some((step) => step.id === id))
  if (unknown) throw invalid(`steps names "${unknown.slice(0, 40)}", which is no step of this workflow.`)
  const twice = remainingIds.find((id, index) => remainingIds.indexOf(id) !== index)
  if (twice) throw invalid(`steps names ${twice} twice.`)
}

async function requireApprovers({ db, accountId }: Context, drafts: readonly StepDraft[]) {
  const wanted = [...new Set(drafts.flatMap(({ approverIds = [] }) => approverIds))]
  const { rows } = await sql<{ id: string }>`
    select u.id from users u where u.account_id = ${accountId} and u.id = any (${wanted}) and ${canApprove}`.execute(db)
  const unable = wanted.find((id) => !rows.some((user) => user.id === id))
  if (unable) throw invalid(`approverIds names ${unable}, who is no active admin or publisher of this account.`)
}

async function writeStep(context: Context, workflowId: string, position: number, draft: StepDraft): Promise<Step> {
  const { db, accountId, now } = context
  const { id, approverIds = [], approverRoles = [], mustBeApprovedByEveryone = false, ...written } = draft
  const content = { position, mustBeApprovedByEveryone, approverRoles, ...written }
  const step = await db
    .insertInto('workflowSteps')
    .values({ accountId, id: id || newId(approvalIds.workflowStep, now), created: now, workflowId, ...content })
    .onConflict((on) => on.columns(['accountId', 'id']).doUpdateSet(content))
    .returningAll()
    .executeTakeFirstOrThrow()
  const stepId = step.id
  await db.deleteFrom('workflowApprovers').where('accountId', '=', accountId).where('stepId', '=', stepId).execute()
  if (approverIds.length > 0)
    await db
      .insertInto('workflowApprovers')
      .values(approverIds.map((userId) => ({ accountId, stepId, userId })))
      .execute()
  return step
}

/**
 * Called when a user was deleted or may no longer approve: items at a step without approvers move to the default workflow. Concurrent
 * submissions wait for the lock on the workflow and then find the step abandoned.
 */
export const followLostApprovers =
  (approvables: Approvables) => async (context: Context, events: readonly Emitted<{ userId: string }>[]) => {
    const userIds = events.map(({ data }) => data.userId)
    const steps = await stepsLosingApprovers(context, userIds)
    if (steps.length === 0) return
    await lockWorkflows(
      context,
      steps.map(({ workflowId }) => workflowId),
      'update',
    )
    const abandoned = await abandonedSteps(context, steps)
    await moveToDefault(context, approvables, await lockWaiting(context, 'stepId', abandoned))
  }

/** Steps that name these users, and steps with a role, which may have no users left. */
const stepsLosingApprovers = (context: Context, userIds: readonly string[]): Promise<Step[]> =>
  currentSteps(context)
    .where(
      sql<boolean>`(approver_roles <> '{}' or id in (
        select a.step_id from workflow_approvers a where a.account_id = ${context.accountId} and a.user_id = any (${userIds})))`,
    )
    .execute()
