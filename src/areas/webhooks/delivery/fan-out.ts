import { sql } from 'kysely'
import type { Clock } from '#kernel/clock.ts'
import type { BatchLimits } from '#kernel/database/across-accounts.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { createDueAccounts, createScan, parseNotification } from '#kernel/jobs/due-accounts.ts'
import { startPollLoop } from '#kernel/jobs/scheduler.ts'
import type { Log } from '#kernel/log.ts'
import { eventsChannel, queuedEvents, takenEvents } from './event-queue.ts'
import type { Pace } from './pace.ts'

const eventsAtOnce = 500

/** A webhook that got something to send. */
export interface Woken {
  webhook: string
  pace: Pace
}

interface FanOutOptions {
  database: Database
  listener: Listener
  clock: Clock
  log: Log
  /** Milliseconds from one look over all accounts to the next. */
  every: number
  limits: BatchLimits
  /** Is told of webhooks that have something to send now. */
  woken(account: string, webhooks: readonly Woken[]): void
  /** Where it fails for one account, the others have their turn. */
  failed(account: string, error: unknown): void
}

/** Makes deliveries of events nobody has looked at yet, from this process until it is stopped. Any number may do so at once. */
export function startFanOut({ database, listener, clock, log, every, limits, woken, failed }: FanOutOptions) {
  const accounts = createDueAccounts(limits.trackedAccounts)
  const findDue = createScan(database.shared, queuedEvents, limits.trackedAccounts)

  /** A number of events for each account in turn, so that none waits for the backlog of another. */
  const claim = async () => {
    const now = clock.now()
    let isLeft = false
    for (const account of [...accounts.ready(now)]) {
      accounts.take(account)
      try {
        const { events, webhooks } = await fanOut(database.forAccount(account), account, now)
        if (events === eventsAtOnce) {
          accounts.requeue(account)
          isLeft = true
        }
        if (webhooks.length > 0) woken(account, webhooks)
      } catch (error) {
        failed(account, error)
      }
    }
    if (isLeft) loop.wake()
  }
  const loop = startPollLoop({
    clock,
    dueAccounts: [accounts],
    scanInterval: every,
    scan: async () => accounts.addScanned((await findDue(clock.now())).get('') ?? []),
    claim,
    onError: (error) => log.error({ err: error }, 'looking for events failed'),
  })
  listener.on(eventsChannel, (payload) => {
    const notification = parseNotification(payload)
    if (!notification) return loop.scanNow()
    accounts.add(notification.account, notification.due)
    loop.wake()
  })
  return { stop: loop.stop }
}

/** All in one statement: an event leaves the queue if its deliveries exist and their webhooks are awake, and only then. */
export async function fanOut(db: Db, account: string, now: Date) {
  const { rows } = await sql<{ events: number; webhooks: Woken[] }>`
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
      on conflict (account, webhook) do update set due = least(webhook_lanes.due, excluded.due), wakes = webhook_lanes.wakes + 1
      returning webhook, pace)
    select (select count(*) from taken) as events, (select coalesce(json_agg(woken), '[]') from woken) as webhooks`.execute(
    db,
  )
  return rows[0] as { events: number; webhooks: Woken[] }
}
