import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { settingChanged } from '#kernel/hints/hint.ts'
import { newId } from '#kernel/ids.ts'
import { makeRoom } from '#kernel/room/room.ts'
import type { Approvables } from '../approvable.ts'
import { waitingIn } from '../item/item.ts'
import { get, visible } from '../workflow/workflow.ts'
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
  return get(context, { id, withSteps: true })
}

export async function update(context: Context, approvables: Approvables, { id, steps, ...changes }: WorkflowChanges) {
  const { db, accountId, now } = context
  const before = await lock(context, id)
  if (changes.status === 'active' && before.status !== 'active') await makeRoom(context, 'workflows', inUse(context))
  if (changes.status === 'inactive') await refuseWhileWaiting(context, id)
  await db
    .updateTable('workflows')
    .set({ ...changes, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  if (steps) await replaceSteps(context, approvables, id, steps)
  context.hint(settingChanged)
  return get(context, { id, withSteps: true })
}

/** The row stays for what went through it. */
export const retire = (context: Context, approvables: Approvables, { id }: { id: string }) =>
  update(context, approvables, { id, status: 'inactive' })

/** Whoever decides at one of its steps, or sends something to it, waits meanwhile. */
async function lock(context: Context, id: string) {
  const workflow = await visible(context)
    .where('id', '=', id)
    .modifyEnd(heldRows('workflows', 'update'))
    .executeTakeFirst()
  if (!workflow) throw missing('Workflow')
  return workflow
}

const inUse = ({ db, accountId }: Context) =>
  db.selectFrom('workflows').where('accountId', '=', accountId).where('status', '=', 'active')

async function refuseWhileWaiting(context: Context, id: string) {
  const waiting = await waitingIn(context, id)
  if (waiting === 0) return
  const many = waiting === 1 ? '1 item waits' : `${waiting} items wait`
  throw conflict(
    `${many} for approval in this workflow. Decide on what waits, or remove it, before you put it out of use.`,
  )
}
