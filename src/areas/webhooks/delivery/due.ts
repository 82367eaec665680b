import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import type { LaneClaim } from './lane-claim.ts'

/** One payload for one webhook, to be sent now. */
export interface Due {
  id: string
  eventId: string
  due: Date
  attempts: number
  type: string
  created: Date
  data: string
}

/** The webhook as it is now, and how often it was woken. */
export interface Lane {
  url: string
  secret: string
  previousSecret: string | null
  previousUntil: Date | null
  isEnabled: boolean
  wakes: number
}

/** Before everything. */
export const beginning = { due: new Date(0), id: '' }

/**
 * A webhook together with what is due for it, the oldest first, beyond what was read before. Nothing when it is gone or
 * served by somebody else. In one statement: whatever is added after it raises `wakes`. The webhook itself stands in the first
 * row alone: sixty copies of it would cost as much as the deliveries.
 */
export async function readDue(
  db: Db,
  { webhook, account, fence }: LaneClaim,
  after: Pick<Due, 'due' | 'id'>,
  now: Date,
  count: number,
): Promise<{ lane: Lane; queue: Due[] } | undefined> {
  const { rows } = await sql<Lane & { [key in keyof Due]: Due[key] | null }>`
    select case when first then w.url end as url, case when first then w.secret end as secret,
      case when first then w.previous_secret end as previous_secret,
      case when first then w.previous_until end as previous_until, w.is_enabled, l.wakes, d.id, d.event_id, d.due, d.attempts, d.type, d.created, d.data
    from webhooks w join webhook_lanes l on l.account = ${account} and l.webhook = w.id and l.fence = ${fence}
    left join lateral (
      select row_number() over (order by d.due, d.id) as number, d.id, d.event_id, d.attempts, d.due,
        e.type, e.created, e.data
      from webhook_deliveries d join events e on e.account_id = ${account} and e.id = d.event_id
      where d.account_id = ${account} and d.webhook_id = ${webhook} and d.due <= ${now}
        and (d.due, d.id) > (${after.due}, ${after.id})
      order by d.due, d.id limit ${count}) d on w.is_enabled
    cross join lateral (select coalesce(d.number, 1) = 1 as first) f
    where w.account_id = ${account} and w.id = ${webhook} order by d.number`.execute(db)
  const [lane] = rows
  return lane && { lane, queue: rows.filter((row) => row.id !== null) as Due[] }
}
