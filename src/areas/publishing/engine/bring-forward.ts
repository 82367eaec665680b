import { sql } from 'kysely'
import type { Database } from '#kernel/database/database.ts'
import { wakeLanes } from '../lane-wake.ts'
import { longestRetry } from './outcome.ts'
import type { PublishingRules } from './publishing-rules.ts'

const minute = 60_000

/**
 * After the clock was set back: what was put off while it was ahead is due at once, and not when the clock is there again. What
 * was never tried is due when it was planned to be. An account where that fails holds up no other.
 */
export async function bringForward(
  database: Database,
  { lateness, looks }: PublishingRules,
  now: Date,
  failed: (account: string, error: unknown) => void,
) {
  const { shared } = database
  const last = new Date(now.getTime() + Math.max(lateness, longestRetry, ...looks) + minute)
  // A network that told us to wait for longer says so again.
  await sql`delete from network_holds where until > ${last}`.execute(shared)
  await sql`update profile_lanes set not_before = null where not_before > ${last}`.execute(shared)
  const { rows } = await sql<{ account: string }>`
    select distinct account from profile_lanes where due is not null`.execute(shared)
  const ofAccount = (accountId: string) =>
    database.transaction(accountId, async (db) => {
      const { rows: sends } = await sql<{ credential: string; network: string }>`
        update post_sends set due = ${now} where account_id = ${accountId} and due > ${last} and attempts > 0
        returning credential_id as credential, network`.execute(db)
      await wakeLanes(
        { db, accountId, now },
        sends.map((send) => ({ ...send, due: now })),
      )
    })
  for (const { account } of rows) await ofAccount(account).catch((error) => failed(account, error))
}
