import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import { freeRows } from '#kernel/database/locks.ts'
import * as lanes from '#kernel/lanes/lane-table.ts'
import type { Pace } from './pace.ts'

export const webhookLanes = { name: 'webhook_lanes', key: 'webhook' }

/** A webhook this process alone delivers to, until it lets go or its lease ends. The fence proves it. */
export interface LaneClaim {
  webhook: string
  account: string
  pace: Pace
  fence: number
}

/** Takes webhooks that have something due, as many of each pace as there is room for, whoever waits longest first. */
export const claimWebhooks = (db: Db, worker: string, now: Date, room: ReadonlyMap<Pace, number>) =>
  lanes.claimLanes<LaneClaim>(db, webhookLanes, worker, {
    lanes: sql`
      select first.webhook from unnest(${[...room.keys()]}::text[], ${[...room.values()]}::int[]) as room (pace, places)
      cross join lateral (
        select webhook from webhook_lanes where worker is null and pace = room.pace and due <= ${now}
        order by due, webhook limit greatest(room.places, 0) ${freeRows('webhookLanes', 'update')}) first`,
    returning: sql`webhook, account, pace, fence`,
  })

/**
 * Lets go of a webhook; refuses if deliveries were added since `wakes` was read. The next turn is not before now, so that
 * webhooks that wait come first.
 */
export const releaseWebhook = (
  db: Db,
  worker: string,
  { webhook, account, fence }: LaneClaim,
  { pace, wakes, now }: Release,
) =>
  lanes.releaseLane(
    db,
    webhookLanes,
    { lane: webhook, worker, fence },
    {
      wakes,
      set: sql`pace = ${pace}, due = (
        select greatest(due, ${now}) from webhook_deliveries
        where account_id = ${account} and webhook_id = ${webhook} and due is not null order by due limit 1)`,
    },
  )

interface Release {
  pace: Pace
  wakes: number
  now: Date
}
