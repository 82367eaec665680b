import { sql } from 'kysely'
import { moveItems } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import type { MessageRow } from './message.ts'

/** Puts a message, which the caller holds, into another campaign; the posts made from it stay where they are. */
export async function moveMessage(context: Context, { id, campaignId: from }: MessageRow, to: string) {
  const { db, accountId } = context
  await db
    .updateTable('messages')
    .set({ campaignId: to })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  await moveItems(context, id, to)
  // Both held in the order of their ids, as whoever moves another message the other way does.
  await sql`
    with held as materialized (
      select campaign_id from campaign_counters where account_id = ${accountId} and campaign_id in (${from}, ${to})
      order by campaign_id for no key update)
    update campaign_counters c set total_messages = c.total_messages + case c.campaign_id when ${to} then 1 else -1 end
    from held where c.account_id = ${accountId} and c.campaign_id = held.campaign_id`.execute(db)
}
