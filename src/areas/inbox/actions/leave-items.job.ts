import type { Context, Emitted } from '#kernel/context.ts'
import { job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { holdItems } from '../item/item-row.ts'
import { assignItems } from './actions.ts'

const atOnce = 100
/** So long one run goes on before it hands over to the next, so that one account's many keep no other waiting. */
const turn = 30_000

interface Leaving {
  accountId: string
  userId: string
}

const leaveItems = { name: 'inbox.leave-items', queue: 'housekeeping' } as const

/** Whoever is deleted takes care of no conversation any more; there may be many, so that a job does it. */
export async function wantLeaving(context: Context, events: readonly Emitted<{ userId: string }>[]) {
  const { accountId } = context
  for (const { data } of events) await enqueue(context, leaveItems, { accountId, userId: data.userId })
}

/** Gives the conversations of a deleted user to nobody, open and closed ones: who looks for what nobody takes care of finds them. */
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

/** Whether none is left. */
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
