import { isUnderWay } from '#areas/sending/sendable.ts'
import { lockSends, removeSends } from '#areas/sending/sends.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { holdItems } from '../item/item-row.ts'
import { settleReplies } from './reply-end.ts'
import { holdReplies } from './reply-row.ts'

/** Takes back answers that were to go out through profiles that are deleted; refuses while one is on its way. */
export async function leaveProfileReplies(context: Context, events: readonly Emitted<{ credentialId: string }>[]) {
  const { db, accountId } = context
  for (const { data } of events) {
    const waiting = await db
      .selectFrom('inboxReplies')
      .select(['id', 'itemId'])
      .where('accountId', '=', accountId)
      .where('credentialId', '=', data.credentialId)
      .where('status', '=', 'waiting')
      .execute()
    if (waiting.length === 0) continue
    const items = await holdItems(context, [...new Set(waiting.map(({ itemId }) => itemId))])
    const replies = (
      await holdReplies(
        context,
        waiting.map(({ id }) => id),
      )
    ).filter(({ status }) => status === 'waiting')
    const ids = replies.map(({ id }) => id)
    if (ids.length === 0) continue
    if ((await lockSends(context, ids)).some(({ state }) => isUnderWay(state)))
      throw conflict('A reply is being sent through this profile at this moment. Try again in a minute.')
    await removeSends(context, ids)
    await settleReplies(
      context,
      items,
      replies.map((reply) => ({
        reply,
        status: 'failed',
        error: 'The profile was deleted before this could be sent.',
      })),
    )
  }
}
