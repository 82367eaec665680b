import { sql } from 'kysely'
import { openAgenda } from '#kernel/agenda/agenda.ts'
import { openLook } from '#kernel/agenda/look.ts'
import { readNotice } from '#kernel/agenda/notice.ts'
import type { Reach } from '#kernel/agenda/reach.ts'
import { startRounds } from '#kernel/agenda/rounds.ts'
import type { Clock } from '#kernel/clock.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
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
  reach: Reach
  /** Is told of webhooks that have something to send now. */
  woken(account: string, webhooks: readonly Woken[]): void
  /** Where it fails for one account, the others have their turn. */
  failed(account: string, error: unknown): void
}

/** Makes deliveries of events nobody has looked at yet, from this process until it is stopped. Any number may do so at once. */
export function startFanOut({ database, listener, clock, log, every, reach, woken, failed }: FanOutOptions) {
  const agenda = openAgenda(reach.accountsKnown)
  const look = openLook(database.shared, queuedEvents, reach.accountsKnown)

  /** A number of events for each account in turn, so that none waits for the backlog of another. */
  const serve = async () => {
    const now = clock.now()
    let isLeft = false
    for (const account of [...agenda.due(now)]) {
      agenda.strike(account)
      try {
        const { events, webhooks } = await fanOut(database.forAccount(account), account, now)
        if (events === eventsAtOnce) {
          agenda.noteAgain(account)
          isLeft = true
        }
        if (webhooks.length > 0) woken(account, webhooks)
      } catch (error) {
        failed(account, error)
      }
    }
    if (isLeft) rounds.ask()
  }
  const rounds = startRounds({
    ...{ clock, every, agendas: [agenda], serve },
    round: async () => agenda.noteAll((await look(clock.now())).get('') ?? []),
    failed: (error) => log.error({ err: error }, 'looking for events failed'),
  })
  listener.on(eventsChannel, (payload) => {
    const notice = readNotice(payload)
    if (!notice) return rounds.roundNow()
    agenda.note(notice.account, notice.due)
    rounds.ask()
  })
  return { stop: rounds.stop }
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
