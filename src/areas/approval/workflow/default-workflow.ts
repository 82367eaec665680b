import { type Selectable, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { Workflows } from '#kernel/database/tables.ts'
import { newId } from '#kernel/ids.ts'
import type { Step } from './workflow-step.ts'

/** What a new account starts with: one step at which any admin or publisher decides. */
export async function createDefaultWorkflow({ db, accountId, now }: Context) {
  const workflowId = newId('workflow', now)
  await db
    .insertInto('workflows')
    .values({
      accountId,
      id: workflowId,
      created: now,
      modified: now,
      createdBy: '',
      name: 'Default approval',
      isDefault: true,
    })
    .execute()
  await db
    .insertInto('workflowSteps')
    .values({
      accountId,
      id: newId('workflowStep', now),
      created: now,
      workflowId,
      position: 0,
      name: 'Approval',
      mustBeApprovedByEveryone: false,
      approverRoles: ['admin', 'publisher'],
    })
    .execute()
}

export type LockedWorkflow = Selectable<Workflows> & { isSeen: boolean }

const attempts = 5

/**
 * Locks workflows together with the default one, so that nobody changes their steps meanwhile. In the order of their ids and in one statement:
 * an item may move from any of them to the default. `isSeen` says whether the caller's teams may see a workflow.
 */
export async function lockWorkflows(
  context: Context,
  ids: readonly string[],
  strength: 'share' | 'update' = 'share',
): Promise<LockedWorkflow[]> {
  const { db, accountId } = context
  for (let attempt = 0; attempt < attempts; attempt++) {
    const rows = await db
      .selectFrom('workflows')
      .selectAll()
      .select(withinTeams(context, 'workflows.id').as('isSeen'))
      .where('accountId', '=', accountId)
      .where(sql<boolean>`(id = any (${ids}) or is_default)`)
      .orderBy('id')
      .modifyEnd(heldRows('workflows', strength))
      .execute()
    // None if another workflow became the default while this statement waited for the lock.
    if (rows.some(({ isDefault }) => isDefault)) return rows
  }
  throw new Error(`The account ${accountId} has no default workflow.`)
}

/** The first step of the default workflow, which the caller has locked. */
export const defaultStep = ({ db, accountId }: Context): Promise<Step> =>
  db
    .selectFrom('workflowSteps as s')
    .innerJoin('workflows as w', (join) => join.on('w.accountId', '=', accountId).onRef('w.id', '=', 's.workflowId'))
    .selectAll('s')
    .where('s.accountId', '=', accountId)
    .where('s.removed', 'is', null)
    .where('w.isDefault', '=', true)
    .orderBy('s.position')
    .limit(1)
    .executeTakeFirstOrThrow()
