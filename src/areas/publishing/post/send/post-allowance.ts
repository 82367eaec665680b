import { sql } from 'kysely'
import type { Send } from '#areas/sending/sendable.ts'
import type { Db } from '#kernel/database/database.ts'
import { freeRows } from '#kernel/database/locks.ts'

/** Whether posts, and what stands under them, may still go out: their campaign and their approval decide. */

/** Whoever changes a campaign holds its row; who sends does not wait for that, but comes again. */
export const postAllowance = (accountId: string, postIds: readonly string[]) => sql`
  with campaign as materialized (
    select id, status = 'paused' as is_held from campaigns where account_id = ${accountId} and deleted is null
      and status in ('active', 'complete', 'paused')
      and id in (select campaign_id from posts where account_id = ${accountId} and id = any (${postIds})) ${freeRows('campaigns', 'share')})
  select p.id as content_id, c.is_held from posts p join campaign c on c.id = p.campaign_id
  where p.account_id = ${accountId} and p.id = any (${postIds}) and p.approve_status = 'Approved'`

/** While a campaign is ending its posts are about to be taken back. */
export async function postRefusal(db: Db, { accountId, groupId }: Send): Promise<string | undefined> {
  const { rows } = await sql<{ ended: boolean }>`
    select (status = 'archived' and not ending) or deleted is not null as ended from campaigns
    where account_id = ${accountId} and id = ${groupId}`.execute(db)
  return rows[0]?.ended ? 'The campaign was archived or deleted before the post could go out.' : undefined
}
