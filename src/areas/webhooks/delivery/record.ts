import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'

/** What became of one attempt. */
export interface Result {
  logId: string
  /** Of the payload. */
  id: string
  webhook: string
  fence: number
  eventId: string
  /** When the call was made, and how long it took in seconds. */
  at: Date
  seconds: number
  attempt: number
  succeeded: boolean
  status: number
  error: string
  /** When the next attempt is due; none after a success or the last one. */
  due: Date | null
}

/** How a webhook stands after its results were written; one that another process holds by now is not among them. */
export interface Standing {
  webhook: string
  failingSince: Date | null
}

/**
 * Writes the results of one account in one statement: the log, what is left to deliver, how the webhooks stand. Results of
 * webhooks that were lost to another process are left out: that process sends them again.
 */
export async function recordResults(
  db: Db,
  account: string,
  worker: string,
  results: readonly Result[],
): Promise<Standing[]> {
  const columns = arrays(results)
  const { rows } = await sql<Standing>`
    with result as (
      select r.log_id, r.id, r.webhook, r.event_id, r.seconds, r.attempt, r.succeeded, r.status, r.error,
        to_timestamp(r.at / 1000.0) as at, to_timestamp(r.due / 1000.0) as due from unnest(
        ${columns.logId}::text[], ${columns.id}::text[], ${columns.webhook}::text[], ${columns.fence}::bigint[],
        ${columns.eventId}::text[], ${columns.at}::bigint[], ${columns.seconds}::float8[], ${columns.attempt}::int[],
        ${columns.succeeded}::boolean[], ${columns.status}::int[], ${columns.error}::text[], ${columns.due}::bigint[]
      ) as r (log_id, id, webhook, fence, event_id, at, seconds, attempt, succeeded, status, error, due)
      join webhook_lanes l on l.account = ${account} and l.webhook = r.webhook and l.fence = r.fence and l.worker = ${worker}),
    done as (
      delete from webhook_deliveries d using result r where d.account_id = ${account} and d.id = r.id and r.succeeded),
    again as (
      update webhook_deliveries d set attempts = r.attempt, due = r.due, last_error = r.error
      from result r where d.account_id = ${account} and d.id = r.id and not r.succeeded),
    logged as (
      insert into webhook_log (account_id, id, webhook_id, webhook_payload_id, event_id, created, attempt, succeeded,
        response_code, execution_time, error)
      select ${account}, log_id, webhook, id, event_id, at, attempt, succeeded, status, seconds, error from result
      -- What nobody asks back is loaded in another way where tables are distributed.
      returning id),
    stood as (
      select webhook, max(at) as last, date_trunc('second', max(at)) as second, bool_or(succeeded) as ever, min(at) filter (where not succeeded) as failed,
        (array_agg(succeeded order by at desc))[1] as well from result group by webhook),
    standing as (
      update webhooks w set last_execution_date = s.last, failing_since = case
        when s.well then null when s.ever then s.last else coalesce(w.failing_since, s.failed) end
      from stood s where w.account_id = ${account} and w.id = s.webhook
        -- The wire tells seconds; a webhook that goes well is not written for every call.
        and (s.second > w.last_execution_date or not s.well or w.failing_since is not null)
      returning w.id, w.failing_since)
    select s.webhook, standing.failing_since from stood s left join standing on standing.id = s.webhook`.execute(db)
  return rows
}

/** The columns as arrays in PostgreSQL's own writing: the driver's way of writing them costs more than the statement. */
function arrays(results: readonly Result[]): { [key in keyof Result]: string } {
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
  for (const key of Object.keys(all) as (keyof Result)[]) all[key] += '}'
  return all
}

/** The only text among them that may hold anything. */
const quoted = (text: string) => (text === '' ? '""' : `"${text.replace(/[\\"]/g, '\\$&')}"`)
