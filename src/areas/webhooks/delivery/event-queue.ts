import { sql } from 'kysely'
import type { Context, Emitted } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { freeRows } from '#kernel/database/locks.ts'
import { type DueQuery, notifyDue } from '#kernel/jobs/due-accounts.ts'

/** Events that webhooks have not been looked up for yet. */

/** Tells whose there are. */
export const eventsChannel = 'chorus_events'

/** Has events delivered to whichever webhooks there are; in the transaction in which they happened. */
export async function queueEvents({ db, accountId, now }: Context, events: readonly Emitted[]) {
  const queueing = sql`
    insert into event_queue (account, id) select ${accountId}, unnest(${events.map(({ id }) => id)}::text[]) returning id`
  await later(db, queueing)
  await notifyDue(db, eventsChannel, now, { kind: '', account: accountId, due: now })
}

/** All of them are due at once. */
export const queuedEvents: DueQuery = (until) =>
  sql`select account, '' as kind, ${until}::timestamptz as due from event_queue`

/** Takes the first events of an account off the queue and gives their ids: part of the statement that sees to them. */
export const takenEvents = (account: string, count: number) => sql`
  delete from event_queue where account = ${account} and id in (
    select id from event_queue where account = ${account} order by id limit ${count} ${freeRows('eventQueue', 'update')})
  returning id`

/** A condition on an event `e` of an account. */
export const isQueued = (accountId: string) => sql`e.id in (select id from event_queue where account = ${accountId})`
