import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { type Approvables, approvableOf } from '../approvable.ts'
import { lockItemsAt } from '../item/item.ts'
import { enterStep } from '../item/telling.ts'
import type { StepDraft } from '../workflow/workflow-shape.ts'
import { canApprove, type Step, stepsInOrder } from '../workflow/workflow-step.ts'

/** Gives a workflow, which the caller holds, exactly these steps. What waits at one that goes moves on. */
export async function replaceSteps(
  context: Context,
  approvables: Approvables,
  workflowId: string,
  drafts: readonly StepDraft[],
) {
  const { db, accountId, now } = context
  const before = await stepsInOrder(context, workflowId)
  const kept = drafts.flatMap(({ id }) => (id ? [id] : []))
  refuseStrangers(before, kept)
  await requireApprovers(context, drafts)
  const gone = before.filter(({ id }) => !kept.includes(id))
  const steps = db.updateTable('workflowSteps').where('accountId', '=', accountId).where('workflowId', '=', workflowId)
  const goneIds = gone.map(({ id }) => id)
  if (goneIds.length > 0) await steps.set({ removed: now }).where('id', 'in', goneIds).execute()
  // Out of the way first: two steps may change places, and no two ever have the same.
  await steps.set({ position: sql<number>`-1 - position` }).where('removed', 'is', null).execute()
  const after: Step[] = []
  for (const [position, draft] of drafts.entries()) after.push(await writeStep(context, workflowId, position, draft))
  if (goneIds.length > 0) await moveOn(context, approvables, { before, goneIds, after })
}

function refuseStrangers(before: readonly Step[], kept: readonly string[]) {
  const stranger = kept.find((id) => !before.some((step) => step.id === id))
  if (stranger) throw invalid(`steps names "${stranger.slice(0, 40)}", which is no step of this workflow.`)
  const twice = kept.find((id, index) => kept.indexOf(id) !== index)
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
  const { id, approverIds = [], mustBeApprovedByEveryone = false, ...written } = draft
  const content = { position, mustBeApprovedByEveryone, ...written }
  const step = await db
    .insertInto('workflowSteps')
    .values({ accountId, id: id || newId('workflowStep', now), created: now, workflowId, ...content })
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

interface Replacement {
  before: readonly Step[]
  goneIds: readonly string[]
  after: readonly Step[]
}

/** What waited at a step that is gone waits at the first it has not passed; where none is left, at the last. */
async function moveOn(context: Context, approvables: Approvables, { before, goneIds, after }: Replacement) {
  for (const item of await lockItemsAt(context, goneIds)) {
    const reached = before.findIndex(({ id }) => id === item.stepId)
    const passed = before.slice(0, reached).map(({ id }) => id)
    const next = after.find(({ id }) => !passed.includes(id)) ?? after.at(-1)
    if (next) await enterStep(context, approvableOf(approvables, item.entityId), item, next)
  }
}
