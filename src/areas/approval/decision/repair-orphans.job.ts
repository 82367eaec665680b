import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import type { Approvable, Approvables, Orphan } from '../approvable.ts'
import { wasRejected } from '../item/item.ts'
import { submitToDefault } from './submission.ts'

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
