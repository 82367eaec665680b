import { isInFlight } from '#areas/sending/sendable.ts'
import { lockSends, removeSends } from '#areas/sending/sends.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { holdItems } from '../item/item-row.ts'
import { settleReplies } from './reply-end.ts'
import { holdReplies } from './reply-row.ts'

/** The job of it. */
export const endProfileRepliesName = 'inbox.end-replies'

/** Ends answers that were to go out through a profile that is deleted; what is on its way by then is left to who sends it. */
export async function endProfileReplies(context: Context, { data }: Emitted<{ credentialId: string }>) {
  const { db, accountId } = context
  const waiting = await db
    .selectFrom('inboxReplies')
    .select(['id', 'itemId'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', data.credentialId)
    .where('status', '=', 'waiting')
    .execute()
  if (waiting.length === 0) return
  const items = await holdItems(context, [...new Set(waiting.map(({ itemId }) => itemId))])
  const held = await holdReplies(
    context,
    waiting.map(({ id }) => id),
  )
  const sends = await lockSends(
    context,
    held.map(({ id }) => id),
  )
  const left = new Set(sends.filter(({ state }) => isInFlight(state)).map(({ contentId }) => contentId))
  const replies = held.filter(({ id, status }) => status === 'waiting' && !left.has(id))
  if (replies.length === 0) return
  await removeSends(
    context,
    replies.map(({ id }) => id),
  )
  const error = 'The profile was deleted before this could be sent.'
  await settleReplies(
    context,
    items,
    replies.map((reply) => ({ reply, status: 'failed', error })),
  )
}
