import type { Context, Emitted } from '#kernel/context.ts'
import { job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { holdItems } from '../item/item.ts'
import { assignItems } from './actions.ts'

const atOnce = 100
/** Time limit of one run before it requeues itself, so that a large account doesn't block others. */
const turn = 30_000

interface Leaving {
  accountId: string
  userId: string
}

const leaveItems = { name: 'inbox.leave-items', queue: 'housekeeping' } as const

/** Unassigns the conversations of deleted users in a job, because there may be many. */
export async function enqueueUnassignment(context: Context, events: readonly Emitted<{ userId: string }>[]) {
  const { accountId } = context
  for (const { data } of events) await enqueue(context, leaveItems, { accountId, userId: data.userId })
}

/** Unassigns open and closed conversations of a deleted user, so that they show up as unassigned. */
export const leaveItemsJob = job<Leaving>(leaveItems.name, {
  ...leaveItems,
  timeout: 10 * turn,
  async run({ transaction, complete, signal }, { accountId, userId }) {
    const until = performance.now() + turn
    let isDone = false
    while (!isDone && !signal.aborted && performance.now() < until)
      isDone = await transaction(accountId, (context) => leaveSome(context, userId))
    await complete(accountId, async (context) => {
      if (!isDone) await enqueue(context, leaveItems, { accountId, userId })
    })
  },
})

/** Returns whether none is left. */
async function leaveSome(context: Context, userId: string): Promise<boolean> {
  const { db, accountId } = context
  const rows = await db
    .selectFrom('inboxItems')
    .select('id')
    .where('accountId', '=', accountId)
    .where('assigneeId', '=', userId)
    .limit(atOnce)
    .execute()
  if (rows.length === 0) return true
  const ids = rows.map(({ id }) => id)
  const held = await holdItems(context, ids)
  await assignItems(
    context,
    held.filter(({ assigneeId }) => assigneeId === userId),
    undefined,
  )
  return rows.length < atOnce
}
