import { sql } from 'kysely'
import type { Database } from '#kernel/database/database.ts'
import { accountsWithPartitions } from '#kernel/jobs/partitions.ts'
import { webhookLanes } from './lane-claim.ts'
import { longestWait } from './retry.ts'

const minute = 60_000

/**
 * After the clock was set back: what was put off while it was ahead is due at once, and not when the clock is there again. Nothing
 * else is ever due that late after so many attempts. An account where that fails holds up no other.
 */
export async function bringForward(
  database: Database,
  waits: readonly number[],
  now: Date,
  failed: (account: string, error: unknown) => void,
) {
  // After no attempt, after one, after two; as moments, because a cluster takes no sums of columns in a change.
  const last = [0, ...waits.map(longestWait)].map((wait) => new Date(now.getTime() + minute + wait))
  for (const account of await accountsWithPartitions(database.shared, webhookLanes))
    await sql`
      with moved as (
        update webhook_deliveries set due = ${now} where account_id = ${account}
          and due > coalesce((${last}::timestamptz[])[attempts + 1], ${last[0]})
        returning webhook_id)
      update webhook_lanes set due = ${now}, wakes = wakes + 1
      where account = ${account} and webhook in (select webhook_id from moved)`
      .execute(database.forAccount(account))
      .catch((error) => failed(account, error))
}
