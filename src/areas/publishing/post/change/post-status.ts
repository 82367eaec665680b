import type { Context } from '#kernel/context.ts'
import { planSends } from '../plan/post-plan.ts'
import { postsChanged } from '../post-count.ts'
import { isQueued, type PostRow } from '../post-row.ts'

/** Changes a post that was locked as unsent, plans its sends anew and keeps the counters. */
export async function changePost(context: Context, before: PostRow, changes: Partial<PostRow>): Promise<PostRow> {
  const { db, accountId, userId, now } = context
  const status = changes.status ?? before.status
  const wanted: PostRow = { ...before, ...changes, status, queued: isQueued(status) }
  const startDateTime = await planSends(context, wanted)
  const after = await db
    .updateTable('posts')
    // The engine and the rules of approval change posts as well, but they are nobody who edits them.
    .set({ ...changes, queued: wanted.queued, startDateTime, modified: now, ...(userId && { modifiedBy: userId }) })
    .where('accountId', '=', accountId)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await postsChanged(context, [before], [after])
  return after
}
