import { lockAccount } from '#areas/account/account/account.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { settingChanged } from '#kernel/hints/hint.ts'
import { newId } from '#kernel/ids.ts'
import { makeRoom } from '#kernel/room/room.ts'
import type { Approvables } from '../approvable.ts'
import { lockWaiting } from '../item/item.ts'
import { moveToDefault } from '../item/telling.ts'
import { lockWorkflows } from '../workflow/default-workflow.ts'
import { getWhole } from '../workflow/workflow.ts'
import type { WorkflowChanges, WorkflowDraft } from '../workflow/workflow-shape.ts'
import { replaceSteps } from './step-change.ts'

export async function create(context: Context, approvables: Approvables, { steps, ...draft }: WorkflowDraft) {
  const { db, accountId, userId, now } = context
  const id = newId('workflow', now)
  await makeRoom(context, 'workflows', inUse(context))
  await db
    .insertInto('workflows')
    .values({ accountId, id, created: now, modified: now, createdBy: userId, ...draft })
    .execute()
  await replaceSteps(context, approvables, id, steps)
  context.hint(settingChanged)
  return getWhole(context, id)
}

/**
 * Changes a workflow. What waits at a step that is removed, or that loses its last approver, moves to the default workflow; so does all that
 * waits in a workflow that is put out of use.
 */
export async function update(
  context: Context,
  approvables: Approvables,
  { id, steps, isDefault, ...changes }: WorkflowChanges,
) {
  const { db, accountId, now } = context
  const before = await lock(context, id)
  const status = changes.status ?? before.status
  if (status === 'active' && before.status !== 'active') await makeRoom(context, 'workflows', inUse(context))
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
  context.hint(settingChanged)
  return getWhole(context, id)
}

/** The row stays for what went through it. */
export const retire = (context: Context, approvables: Approvables, { id }: { id: string }) =>
  update(context, approvables, { id, status: 'inactive' })

/**
 * Locks the workflow and the default one against whoever decides at their steps or sends something there. One such change at a time, and none
 * while users are deleted or lose their role: of two changes that take the last two approvers of a step, one must see that it takes the last.
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

/** The workflow that was the default one until now is like any other from then on; what waits in it stays there. */
async function replaceDefault({ db, accountId, now }: Context, name: string, status: string) {
  if (status !== 'active') throw conflict(`The workflow "${name}" is not in use, so it can't be the default one.`)
  await db
    .updateTable('workflows')
    .set({ isDefault: false, modified: now })
    .where('accountId', '=', accountId)
    .where('isDefault', '=', true)
    .execute()
}
