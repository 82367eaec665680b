import { sql } from 'kysely'
import { accountsOf, ofThese } from '#kernel/agenda/reach.ts'
import type { Db } from '#kernel/database/database.ts'
import * as lanes from '#kernel/lanes/lane-table.ts'
import type { Pace } from './pace.ts'

/** Their kinds are the paces. */
export const webhookLanes: lanes.LaneTable = {
  name: 'webhookLanes',
  key: 'webhook',
  free: (until) => sql`
    select account, pace as kind, due from webhook_lanes
    where worker is null and fence >= 0 and due <= ${until}`,
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

/** An account that has webhooks of a pace with something to send. */
export interface AccountPace {
  account: string
  pace: Pace
}

interface ClaimOrder {
  worker: string
  now: Date
  asked: readonly AccountPace[]
  /** How many are taken at most, of all paces together. */
  count: number
  /** How many places there are for each pace. */
  room: ReadonlyMap<Pace, number>
}

/** Takes webhooks of these accounts that have something due, as far as there is room for their pace, whoever waits longest first. */
export async function claimWebhooks(db: Db, { worker, now, asked, count, room }: ClaimOrder) {
  const accounts = accountsOf(asked)
  const places = asked.map(({ pace }) => room.get(pace) ?? 0)
  const picked = sql`
    select account, lane, kind from (
      select first.*, kind, places, row_number() over (partition by kind order by first.due, first.lane) as place
      from unnest(${asked.map(({ account }) => account)}::text[], ${asked.map(({ pace }) => pace)}::text[], ${places}::int[])
        as asked (owner, kind, places)
      cross join lateral (
        select account, webhook as lane, due from webhook_lanes
        where ${ofThese(accounts)} and account = owner and pace = kind and worker is null and due <= ${now}
        order by due, webhook limit places) first) placed
    where place <= places order by due, lane`
  const { picked: all, taken } = await lanes.claimLanes(db, webhookLanes, { worker, accounts, picked, count })
  const claims = taken.map(({ account, lane: webhook, kind, fence }) => ({
    account,
    webhook,
    pace: kind as Pace,
    fence,
  }))
  const of = (rows: readonly { kind: string; account: string }[], { account, pace }: AccountPace) =>
    rows.filter((row) => row.account === account && row.kind === pace).length
  // Of whom some were passed over, and all of a pace where every place was used.
  const isFull = ({ pace }: AccountPace) => all.filter(({ kind }) => kind === pace).length >= (room.get(pace) ?? 0)
  return { claims, more: asked.filter((one) => isFull(one) || of(all, one) > of(taken, one)) }
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
