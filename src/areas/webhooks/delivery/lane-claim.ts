import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import type { Pace } from './pace.ts'

/** A webhook this process alone delivers to, until it lets go or its lease ends. The fence proves it. */
export interface LaneClaim {
  webhook: string
  account: string
  pace: Pace
  fence: number
}

/** Takes webhooks that have something due, whoever waits longest first. */
export async function claimLanes(db: Db, worker: string, pace: Pace, now: Date, count: number): Promise<LaneClaim[]> {
  const { rows } = await sql<LaneClaim>`
    update webhook_lanes set worker = ${worker}, fence = fence + 1
    where exists (select from job_workers where id = ${worker} and lease_until > clock_timestamp()) and webhook in (
      select webhook from webhook_lanes where worker is null and pace = ${pace} and due <= ${now}
      order by due, webhook limit ${count} for update skip locked)
    returning webhook, account, pace, fence`.execute(db)
  return rows
}

/**
 * Lets go of a webhook; refuses if deliveries were added since `wakes` was read. The next turn is not before now, so that
 * webhooks that wait come first.
 */
export async function releaseLane(db: Db, worker: string, { webhook, account, fence }: LaneClaim, lane: Release) {
  const { numAffectedRows } = await sql`
    update webhook_lanes set worker = null, pace = ${lane.pace}, due = (
      select greatest(due, ${lane.now}) from webhook_deliveries
      where account_id = ${account} and webhook_id = ${webhook} and due is not null order by due limit 1)
    where webhook = ${webhook} and fence = ${fence} and worker = ${worker} and wakes = ${lane.wakes}`.execute(db)
  return numAffectedRows === 1n
}

interface Release {
  pace: Pace
  wakes: number
  now: Date
}
