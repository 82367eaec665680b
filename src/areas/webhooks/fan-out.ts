import { sql } from 'kysely'
import type { Clock } from '#kernel/clock.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import type { BatchLimits } from '#kernel/database/across-accounts.ts'
import { type Database, type Db, later } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { lockFreeRows } from '#kernel/database/locks.ts'
import {
  createDueAccounts,
  createScan,
  type DueQuery,
  notifyDue,
  parseNotification,
} from '#kernel/jobs/due-accounts.ts'
import { startPollLoop } from '#kernel/jobs/scheduler.ts'
import type { Log } from '#kernel/log.ts'
import type { Pace } from './call-slots.ts'

/** From events to deliveries: `event_queue` is the outbox, written with the event; fan-out turns each entry into one delivery per webhook. */

const eventsChannel = 'chorus_events'

/**
 * Queues events of one type for delivery, in the transaction that emits them. Each entry lists the webhooks that are enabled at this
 * moment: one that is created or enabled before fan-out does not get the event. No clock is involved, so the clocks of several hosts need
 * not agree. Events without a webhook are not queued.
 */
export async function queueEvents({ db, accountId, now }: Context, events: readonly Emitted[]) {
  const insertion = sql`
    insert into event_queue (account, id, webhooks)
    select ${accountId}, e.id, enabled.webhooks
    from (select array_agg(w.id) as webhooks from webhooks w
      where w.account_id = ${accountId} and w.event = ${events[0]?.type} and w.is_enabled) enabled
    cross join unnest(${events.map(({ id }) => id)}::text[]) as e (id)
    where enabled.webhooks is not null
    returning id`
  await later(db, insertion)
  await notifyDue(db, eventsChannel, now, { kind: '', account: accountId, due: now })
}

/** SQL condition on an event `e`: it has not been fanned out yet. */
export const isQueued = (accountId: string) => sql`e.id in (select id from event_queue where account = ${accountId})`

/**
 * SQL condition on an event `e`: fan-out will still deliver it to this webhook. Entries without webhooks were written by a version that
 * listed none.
 */
export const isQueuedFor = (accountId: string, webhookId: string) => sql`e.id in (
  select id from event_queue where account = ${accountId} and (webhooks is null or ${webhookId} = any (webhooks)))`

/** Queued events are always due. */
const queuedEvents: DueQuery = (until) => sql`select account, '' as kind, ${until}::timestamptz as due from event_queue`

/** A webhook that got deliveries. */
interface WokenWebhook {
  webhook: string
  pace: Pace
}

interface FanOutOptions {
  database: Database
  listener: Listener
  clock: Clock
  log: Log
  limits: BatchLimits
  /** Milliseconds between scans over all accounts. */
  scanInterval: number
  onWoken(account: string, webhooks: readonly WokenWebhook[]): void
  onAccountError(account: string, error: unknown): void
}

const eventsPerBatch = 500

/** Fans out events from this process until stopped. Any number of processes may do so concurrently. */
export function startFanOut(options: FanOutOptions) {
  const { database, listener, clock, log, limits, scanInterval, onWoken, onAccountError } = options
  const accounts = createDueAccounts(limits.trackedAccounts)
  const findDue = createScan(database.shared, queuedEvents, limits.trackedAccounts)

  /** One batch for each account in turn, so that none waits for another's backlog. */
  const claim = async () => {
    const now = clock.now()
    let hasMore = false
    for (const account of [...accounts.ready(now)]) {
      accounts.take(account)
      try {
        const { events, webhooks } = await fanOut(database.forAccount(account), account, now)
        if (events === eventsPerBatch) {
          accounts.requeue(account)
          hasMore = true
        }
        if (webhooks.length > 0) onWoken(account, webhooks)
      } catch (error) {
        onAccountError(account, error)
      }
    }
    if (hasMore) loop.wake()
  }
  const loop = startPollLoop({
    clock,
    dueAccounts: [accounts],
    scanInterval,
    scan: async () => accounts.addScanned((await findDue(clock.now())).get('') ?? []),
    claim,
    onError: (error) => log.error({ err: error }, 'event fan-out failed'),
  })
  listener.on(eventsChannel, (payload) => {
    const notification = parseNotification(payload)
    if (!notification) return loop.scanNow()
    accounts.add(notification.account, notification.due)
    loop.wake()
  })
  return { stop: loop.stop }
}

/** Fans out the next events of an account. In one statement: an event leaves the queue if and only if its deliveries exist. */
export async function fanOut(db: Db, account: string, now: Date) {
  const { rows } = await sql<{ events: number; webhooks: WokenWebhook[] }>`
    with taken as (
      delete from event_queue where account = ${account} and id in (
        select id from event_queue where account = ${account} order by id limit ${eventsPerBatch} ${lockFreeRows('eventQueue', 'update')})
      returning id, webhooks),
    made as (
      insert into webhook_deliveries (account_id, id, webhook_id, event_id, due)
      select ${account}, chorus_payload_id(e.id, w.id), w.id, e.id, ${now}
      from taken t join events e on e.account_id = ${account} and e.id = t.id
      cross join lateral unnest(coalesce(t.webhooks, array(select id from webhooks where account_id = ${account}))) as named (webhook)
      join webhooks w on w.account_id = ${account} and w.id = named.webhook and w.event = e.type and w.is_enabled
      on conflict do nothing returning webhook_id),
    woken as (
      insert into webhook_partitions (webhook, account, due)
      select webhook_id, ${account}, ${now} from made group by webhook_id order by webhook_id
      on conflict (account, webhook) do update set due = least(webhook_partitions.due, excluded.due), wakes = webhook_partitions.wakes + 1
      returning webhook, pace)
    select (select count(*) from taken) as events, (select coalesce(json_agg(woken), '[]') from woken) as webhooks`.execute(
    db,
  )
  return rows[0] as { events: number; webhooks: WokenWebhook[] }
}
