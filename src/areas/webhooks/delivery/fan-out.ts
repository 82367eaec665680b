import { sql } from 'kysely'
import type { Database } from '#kernel/database/database.ts'
import { accountsWithEvents, takenEvents } from './event-queue.ts'

const eventsAtOnce = 500

/**
 * Makes deliveries of events nobody has looked at yet, a number of them for each account, so that none waits for the backlog of
 * another; where it fails for one account, the others have their turn. Gives the webhooks that have something to send now, and
 * whether some account has more.
 */
export async function fanOut(
  { shared, forAccount }: Database,
  now: Date,
  failed: (account: string, error: unknown) => void,
): Promise<{ woken: string[]; more: boolean }> {
  const woken: string[] = []
  let more = false
  for (const account of await accountsWithEvents(shared)) {
    try {
      const { events, webhooks } = await fanOutAccount(forAccount(account), account, now)
      woken.push(...webhooks)
      more ||= events === eventsAtOnce
    } catch (error) {
      failed(account, error)
    }
  }
  return { woken, more }
}

/** All in one statement: an event leaves the queue if its deliveries exist and their webhooks are awake, and only then. */
async function fanOutAccount(db: Database['shared'], account: string, now: Date) {
  const { rows } = await sql<{ events: number; webhooks: string[] }>`
    with taken as (${takenEvents(account, eventsAtOnce)}),
    made as (
      insert into webhook_deliveries (account_id, id, webhook_id, event_id, due)
      select ${account}, chorus_payload_id(e.id, w.id), w.id, e.id, ${now}
      from taken t join events e on e.account_id = ${account} and e.id = t.id
      join webhooks w on w.account_id = ${account} and w.event = e.type and w.is_enabled
      on conflict do nothing returning webhook_id),
    woken as (
      insert into webhook_lanes (webhook, account, due)
      select webhook_id, ${account}, ${now} from made group by webhook_id order by webhook_id
      on conflict (webhook) do update set due = least(webhook_lanes.due, excluded.due), wakes = webhook_lanes.wakes + 1
      returning webhook)
    select (select count(*) from taken) as events, (select coalesce(array_agg(webhook), '{}') from woken) as webhooks`.execute(
    db,
  )
  return rows[0] as { events: number; webhooks: string[] }
}
