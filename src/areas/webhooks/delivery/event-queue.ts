import { sql } from 'kysely'
import type { Context, Emitted } from '#kernel/context.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { freeRows } from '#kernel/database/locks.ts'

/** Events that webhooks have not been looked up for yet. */

/** Told whenever there are some. A hint: whoever listens looks every second anyway. */
export const eventsChannel = 'chorus_events'

/** Has events delivered to whichever webhooks there are; in the transaction in which they happened. */
export async function queueEvents({ db, accountId }: Context, events: readonly Emitted[]) {
  const queueing = sql`
    with queued as (insert into event_queue (account, id) select ${accountId}, unnest(${events.map(({ id }) => id)}::text[]))
    select pg_notify(${eventsChannel}, '')`
  await later(db, queueing)
}

/** Jumps from account to account: the queue of one may be long. */
export async function accountsWithEvents(shared: Db): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    with recursive next (account) as (
      select min(account) from event_queue
      union all select (select min(account) from event_queue q where q.account > next.account) from next
      where next.account is not null)
    select account from next where account is not null`.execute(shared)
  return rows.map(({ account }) => account)
}

/** Takes the first events of an account off the queue and gives their ids: part of the statement that sees to them. */
export const takenEvents = (account: string, count: number) => sql`
  delete from event_queue where account = ${account} and id in (
    select id from event_queue where account = ${account} order by id limit ${count} ${freeRows('eventQueue', 'update')})
  returning id`

/** A condition on an event `e` of an account. */
export const isQueued = (accountId: string) =>
  sql`exists (select from event_queue q where q.account = ${accountId} and q.id = e.id)`
