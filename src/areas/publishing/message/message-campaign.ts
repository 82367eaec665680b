import { moveItems } from '#areas/approval/item/item.ts'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import type { MessageRow } from './message.ts'

/** Puts a message, which the caller holds, into another campaign; the posts made from it stay where they are. */
export async function moveMessage(context: Context, { id, campaignId: from }: MessageRow, to: string) {
  const { db, accountId, now } = context
  await db
    .updateTable('messages')
    .set({ campaignId: to })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  await moveItems(context, id, to)
  await addFacts(context, [
    { name: 'messages', at: now, of: { campaign: from }, amount: -1 },
    { name: 'messages', at: now, of: { campaign: to } },
  ])
}
