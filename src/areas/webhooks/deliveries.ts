import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { accountFilter, distinctAccounts } from '#kernel/database/across-accounts.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import { createBatcher } from '#kernel/jobs/batcher.ts'
import {
  accountsWithPartitions,
  claimPartitions,
  type PartitionTable,
  releasePartition,
} from '#kernel/jobs/partitions.ts'
import type { PersonalDataLocation } from '#kernel/personal-data.ts'
import type { Pace } from './call-slots.ts'

/** The `webhook_deliveries` table and its partitions: claim a webhook, read due deliveries, record results, release. */

/** Every webhook is a partition; its kind is the pace of the receiver. */
export const webhookPartitions: PartitionTable = {
  name: 'webhookPartitions',
  key: 'webhook',
  dueWork: (until) => sql`
    select account, pace as kind, due from webhook_partitions
    where worker is null and fence >= 0 and due <= ${until}`,
}

/** Notifies of accounts whose webhooks got deliveries by other means than an event. */
export const webhooksChannel = 'chorus_webhooks'

/** A webhook that only this process delivers to, until it releases it or loses its lease. */
export interface WebhookClaim {
  webhook: string
  account: string
  pace: Pace
  fence: number
}

export interface AccountPace {
  account: string
  pace: Pace
}

interface ClaimOptions {
  worker: string
  now: Date
  /** Accounts with due webhooks of a pace. */
  accountPaces: readonly AccountPace[]
  /** Webhooks to claim at most, of all paces together. */
  count: number
  /** Free slots by pace. */
  freeSlots: ReadonlyMap<Pace, number>
}

/** Claims due webhooks as far as there are slots for their pace, longest waiting first. */
export async function claimWebhooks(db: Db, { worker, now, accountPaces, count, freeSlots }: ClaimOptions) {
  const accounts = distinctAccounts(accountPaces)
  const slots = accountPaces.map(({ pace }) => freeSlots.get(pace) ?? 0)
  const query = sql`
    select account, id, kind from (
      select first.*, kind, slots, row_number() over (partition by kind order by first.due, first.id) as number
      from unnest(${accountPaces.map(({ account }) => account)}::text[], ${accountPaces.map(({ pace }) => pace)}::text[], ${slots}::int[])
        as asked (owner, kind, slots)
      cross join lateral (
        select account, webhook as id, due from webhook_partitions
        where ${accountFilter(accounts)} and account = owner and pace = kind and worker is null and due <= ${now}
        order by due, webhook limit slots) first) numbered
    where number <= slots order by due, id`
  const partitions = { worker, accounts, candidates: query, count }
  const { candidates, claimed } = await claimPartitions(db, webhookPartitions, partitions)
  const claims = claimed.map(({ account, id: webhook, kind, fence }) => ({
    account,
    webhook,
    pace: kind as Pace,
    fence,
  }))
  const countOf = (rows: readonly { kind: string; account: string }[], { account, pace }: AccountPace) =>
    rows.filter((row) => row.account === account && row.kind === pace).length
  // An account has more if some of its candidates were not claimed, or may have if all slots of the pace were used.
  const isFull = ({ pace }: AccountPace) =>
    candidates.filter(({ kind }) => kind === pace).length >= (freeSlots.get(pace) ?? 0)
  const accountsWithMore = accountPaces.filter((one) => isFull(one) || countOf(candidates, one) > countOf(claimed, one))
  return { claims, accountsWithMore }
}

interface ReleaseOptions {
  pace: Pace
  wakes: number
  now: Date
}

/**
 * Releases a webhook and returns when it is due again; undefined if deliveries were added since `wakes` was read, or if it was lost. Never
 * due before now, so that waiting webhooks come first.
 */
export const releaseWebhook = (
  db: Db,
  worker: string,
  { webhook, account, fence }: WebhookClaim,
  { pace, wakes, now }: ReleaseOptions,
) =>
  releasePartition(
    db,
    webhookPartitions,
    { account, id: webhook, worker, fence },
    {
      wakes,
      set: sql`pace = ${pace}, due = (
        select greatest(due, ${now}) from webhook_deliveries
        where account_id = ${account} and webhook_id = ${webhook} and due is not null order by due limit 1)`,
    },
  )

/** One event for one webhook. */
export interface DueDelivery {
  id: string
  eventId: string
  due: Date
  attempts: number
  type: string
  created: Date
  data: string
}

/** The current row of the webhook, with the count of wakes. */
export interface WebhookRow {
  id: string
  url: string
  secret: string
  previousSecret: string | null
  previousUntil: Date | null
  isEnabled: boolean
  wakes: number
}

export type DeliveryCursor = Pick<DueDelivery, 'due' | 'id'>

export const firstDelivery: DeliveryCursor = { due: new Date(0), id: '' }

/**
 * Reads a webhook and its due deliveries after a cursor, oldest first. Undefined if it was deleted or lost. In one statement, so that any
 * delivery added later raises `wakes`. Only the first row carries the webhook: copies would cost as much as the deliveries.
 */
export async function readDue(
  db: Db,
  { webhook, account, fence }: WebhookClaim,
  after: DeliveryCursor,
  now: Date,
  count: number,
): Promise<{ row: WebhookRow; deliveries: DueDelivery[] } | undefined> {
  const { rows } = await sql<Omit<WebhookRow, 'id'> & { [key in keyof DueDelivery]: DueDelivery[key] | null }>`
    select case when first then w.url end as url, case when first then w.secret end as secret,
      case when first then w.previous_secret end as previous_secret,
      case when first then w.previous_until end as previous_until, w.is_enabled, l.wakes, d.id, d.event_id, d.due, d.attempts, d.type, d.created, d.data
    from webhooks w join webhook_partitions l on l.account = ${account} and l.webhook = w.id and l.fence = ${fence}
    left join lateral (
      select row_number() over (order by d.due, d.id) as number, d.id, d.event_id, d.attempts, d.due,
        e.type, e.created, e.data
      from webhook_deliveries d join events e on e.account_id = ${account} and e.id = d.event_id
      where d.account_id = ${account} and d.webhook_id = ${webhook} and d.due <= ${now}
        and (d.due, d.id) > (${after.due}, ${after.id})
      order by d.due, d.id limit ${count}) d on w.is_enabled
    cross join lateral (select coalesce(d.number, 1) = 1 as first) f
    where w.account_id = ${account} and w.id = ${webhook} order by d.number`.execute(db)
  const [first] = rows
  const deliveries = rows.filter((row) => row.id !== null) as DueDelivery[]
  return first && { row: { ...first, id: webhook }, deliveries }
}

/** The result of one attempt. */
interface DeliveryResult {
  logId: string
  /** The id of the delivery. */
  id: string
  webhook: string
  fence: number
  eventId: string
  at: Date
  seconds: number
  attempt: number
  succeeded: boolean
  status: number
  error: string
  /** When the next attempt is due; null after a success or the last attempt. */
  due: Date | null
}

/** The state of a webhook after its results were recorded. */
interface WebhookHealth {
  webhook: string
  failingSince: Date | null
}

/** Returns a function that records results in batches of an account. It returns undefined if the webhook was lost to another process. */
export const createRecorder = (database: Database, worker: string) =>
  createBatcher<DeliveryResult, WebhookHealth | undefined>({
    maxSize: 256,
    maxDelay: 3,
    async run(account, results) {
      const healths = await recordResults(database.forAccount(account), account, worker, results)
      const byWebhook = new Map(healths.map((health) => [health.webhook, health]))
      return results.map(({ webhook }) => byWebhook.get(webhook))
    },
  })

/**
 * Writes the results of one account in one statement: the log, the remaining deliveries, the health of the webhooks. Results of lost
 * webhooks are omitted: the process that holds them now sends them again.
 */
async function recordResults(
  db: Db,
  account: string,
  worker: string,
  results: readonly DeliveryResult[],
): Promise<WebhookHealth[]> {
  const columns = arrayLiterals(results)
  const { rows } = await sql<WebhookHealth>`
    with result as (
      select r.log_id, r.id, r.webhook, r.event_id, r.seconds, r.attempt, r.succeeded, r.status, r.error,
        to_timestamp(r.at / 1000.0) as at, to_timestamp(r.due / 1000.0) as due from unnest(
        ${columns.logId}::text[], ${columns.id}::text[], ${columns.webhook}::text[], ${columns.fence}::bigint[],
        ${columns.eventId}::text[], ${columns.at}::bigint[], ${columns.seconds}::float8[], ${columns.attempt}::int[],
        ${columns.succeeded}::boolean[], ${columns.status}::int[], ${columns.error}::text[], ${columns.due}::bigint[]
      ) as r (log_id, id, webhook, fence, event_id, at, seconds, attempt, succeeded, status, error, due)
      join webhook_partitions l on l.account = ${account} and l.webhook = r.webhook and l.fence = r.fence and l.worker = ${worker}),
    delivered as (
      delete from webhook_deliveries d using result r where d.account_id = ${account} and d.id = r.id and r.succeeded),
    retried as (
      update webhook_deliveries d set attempts = r.attempt, due = r.due, last_error = r.error
      from result r where d.account_id = ${account} and d.id = r.id and not r.succeeded),
    logged as (
      insert into webhook_log (account_id, id, webhook_id, webhook_payload_id, event_id, created, attempt, succeeded,
        response_code, execution_time, error)
      select ${account}, log_id, webhook, id, event_id, at, attempt, succeeded, status, seconds, error from result
      -- On a cluster an insert without RETURNING would be executed in another way.
      returning id),
    summary as (
      select webhook, max(at) as last, date_trunc('second', max(at)) as second, bool_or(succeeded) as any_succeeded, min(at) filter (where not succeeded) as failed,
        (array_agg(succeeded order by at desc))[1] as last_succeeded from result group by webhook),
    health as (
      update webhooks w set last_execution_date = s.last, failing_since = case
        when s.last_succeeded then null when s.any_succeeded then s.last else coalesce(w.failing_since, s.failed) end
      from summary s where w.account_id = ${account} and w.id = s.webhook
        -- The API shows seconds; a healthy webhook is not updated for every call.
        and (s.second > w.last_execution_date or not s.last_succeeded or w.failing_since is not null)
      returning w.id, w.failing_since)
    select s.webhook, health.failing_since from summary s left join health on health.id = s.webhook`.execute(db)
  return rows
}

/** The columns as array literals: letting the driver write them costs more than the statement. */
function arrayLiterals(results: readonly DeliveryResult[]): { [key in keyof DeliveryResult]: string } {
  const columns = { logId: '', id: '', webhook: '', fence: '', eventId: '', at: '', seconds: '', attempt: '' }
  const outcome = { succeeded: '', status: '', error: '', due: '' }
  let comma = '{'
  for (const result of results) {
    columns.logId += comma + result.logId
    columns.id += comma + result.id
    columns.webhook += comma + result.webhook
    columns.fence += comma + result.fence
    columns.eventId += comma + result.eventId
    columns.at += comma + result.at.getTime()
    columns.seconds += comma + result.seconds
    columns.attempt += comma + result.attempt
    outcome.succeeded += comma + result.succeeded
    outcome.status += comma + result.status
    outcome.error += comma + quoted(result.error)
    outcome.due += comma + (result.due ? result.due.getTime() : 'null')
    comma = ','
  }
  const all = { ...columns, ...outcome }
  for (const key of Object.keys(all) as (keyof DeliveryResult)[]) all[key] += '}'
  return all
}

/** The only column with arbitrary text. */
const quoted = (text: string) => (text === '' ? '""' : `"${text.replace(/[\\"]/g, '\\$&')}"`)

export const disabledByUser = 'The webhook was switched off.'

/** Cancels the pending deliveries of a webhook; they are kept as failed and can be resent. */
export async function cancelPending(
  { db, accountId }: Pick<Context, 'db' | 'accountId'>,
  webhookId: string,
  lastError: string,
) {
  await db
    .updateTable('webhookDeliveries')
    .set({ due: null, lastError })
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .where('due', 'is not', null)
    .execute()
}

/**
 * After the clock was set back: deliveries postponed while it ran ahead are due now. They are recognised by a due time later than their number
 * of attempts allows. A failure in one account does not stop the others.
 */
export async function rescheduleAfterClockChange(
  database: Database,
  /** Milliseconds a delivery may wait at most after each attempt. */
  maxDelays: readonly number[],
  now: Date,
  onAccountError: (account: string, error: unknown) => void,
) {
  // By number of attempts, from 0; as timestamps, because a cluster refuses expressions over columns in an update.
  const latest = [0, ...maxDelays].map((delay) => new Date(now.getTime() + 60_000 + delay))
  for (const account of await accountsWithPartitions(database.shared, webhookPartitions))
    await sql`
      with moved as (
        update webhook_deliveries set due = ${now} where account_id = ${account}
          and due > coalesce((${latest}::timestamptz[])[attempts + 1], ${latest[0]})
        returning webhook_id)
      update webhook_partitions set due = ${now}, wakes = wakes + 1
      where account = ${account} and webhook in (select webhook_id from moved)`
      .execute(database.forAccount(account))
      .catch((error) => onAccountError(account, error))
}

/** Deletes deliveries of events whose personal data was erased. */
export const deliveriesPersonalData: PersonalDataLocation = {
  name: 'deliveries',
  isCopy: true,
  async forget({ db, accountId }) {
    await sql`
      delete from webhook_deliveries d where d.account_id = ${accountId} and exists (
        select from events e where e.account_id = ${accountId} and e.id = d.event_id and e.data = '[]')`.execute(db)
    return undefined
  },
}
