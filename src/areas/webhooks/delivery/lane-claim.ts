import { sql } from 'kysely'
import { accountFilter, distinctAccounts } from '#kernel/database/across-accounts.ts'
import type { Db } from '#kernel/database/database.ts'
import { claimPartitions, type PartitionTable, releasePartition } from '#kernel/jobs/partitions.ts'
import type { Pace } from './pace.ts'

/** Their kinds are the paces. */
export const webhookLanes: PartitionTable = {
  name: 'webhookLanes',
  key: 'webhook',
  dueWork: (until) => sql`
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
  const accounts = distinctAccounts(asked)
  const places = asked.map(({ pace }) => room.get(pace) ?? 0)
  const query = sql`
    select account, id, kind from (
      select first.*, kind, places, row_number() over (partition by kind order by first.due, first.id) as place
      from unnest(${asked.map(({ account }) => account)}::text[], ${asked.map(({ pace }) => pace)}::text[], ${places}::int[])
        as asked (owner, kind, places)
      cross join lateral (
        select account, webhook as id, due from webhook_lanes
        where ${accountFilter(accounts)} and account = owner and pace = kind and worker is null and due <= ${now}
        order by due, webhook limit places) first) placed
    where place <= places order by due, id`
  const wanted = { worker, accounts, candidates: query, count }
  const { candidates, claimed } = await claimPartitions(db, webhookLanes, wanted)
  const claims = claimed.map(({ account, id: webhook, kind, fence }) => ({
    account,
    webhook,
    pace: kind as Pace,
    fence,
  }))
  const of = (rows: readonly { kind: string; account: string }[], { account, pace }: AccountPace) =>
    rows.filter((row) => row.account === account && row.kind === pace).length
  // Of whom some were passed over, and all of a pace where every place was used.
  const isFull = ({ pace }: AccountPace) =>
    candidates.filter(({ kind }) => kind === pace).length >= (room.get(pace) ?? 0)
  return { claims, more: asked.filter((one) => isFull(one) || of(candidates, one) > of(claimed, one)) }
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
  releasePartition(
    db,
    webhookLanes,
    { account, id: webhook, worker, fence },
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
