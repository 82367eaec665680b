import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import * as lanes from '#kernel/lanes/lane-table.ts'
import { type Pace, paces } from './pace.ts'

/** Their kinds are the paces. */
export const webhookLanes: lanes.LaneTable = {
  name: 'webhookLanes',
  key: 'webhook',
  free: (until) => sql`
    select account, pace as kind, due from webhook_lanes where worker is null and pace = any (${paces}) and due <= ${until}`,
}

/** Tells whose webhooks got something to send in another way than by an event. */
export const webhooksChannel = 'chorus_webhooks'

/** A webhook this process alone delivers to, until it lets go or its lease ends. The fence proves it. */
export interface LaneClaim {
  webhook: string
  account: string
  pace: Pace
  fence: number
}

interface ClaimOrder {
  worker: string
  now: Date
  accounts: readonly string[]
  /** How many are taken at most, of all paces together. */
  count: number
  /** How many places there are for each pace. */
  room: ReadonlyMap<Pace, number>
}

/** Takes webhooks of these accounts that have something due, as far as there is room for their pace, whoever waits longest first. */
export async function claimWebhooks(db: Db, { worker, now, accounts, count, room }: ClaimOrder) {
  const picked = sql`
    select account, lane, pace, row_number() over (order by due, lane) as place
    from unnest(${[...room.keys()]}::text[], ${[...room.values()]}::int[]) as room (kind, places)
    cross join lateral (
      select account, webhook as lane, pace, due from webhook_lanes
      where account = any (${accounts}) and worker is null and pace = kind and due <= ${now}
      order by due, webhook limit greatest(places, 0)) first`
  const rows = await lanes.claimLanes<lanes.PickedLane & { pace: Pace }>(db, webhookLanes, {
    ...{ worker, accounts, picked, count },
  })
  const claims = rows.flatMap(({ isTaken, account, lane: webhook, pace, fence }): LaneClaim[] =>
    isTaken ? [{ account, webhook, pace, fence }] : [],
  )
  return { claims, more: [...room].flatMap(([pace, places]) => withMore(pace, places, accounts, rows)) }
}

/** Who has more webhooks of a pace, or may have: those that were passed over, and all where every place was used. */
function withMore(
  pace: Pace,
  places: number,
  accounts: readonly string[],
  rows: readonly (lanes.PickedLane & { pace: Pace })[],
): { pace: Pace; account: string }[] {
  const ofPace = rows.filter((row) => row.pace === pace)
  const left =
    ofPace.length >= places ? accounts : ofPace.filter(({ isTaken }) => !isTaken).map(({ account }) => account)
  return left.map((account) => ({ pace, account }))
}

/**
 * Lets go of a webhook and gives when it is due again; refuses if deliveries were added since `wakes` was read. The next turn is not
 * before now, so that webhooks that wait come first.
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
    { account, lane: webhook, worker, fence },
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
