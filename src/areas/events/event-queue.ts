import { type RawBuilder, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'

/** For whoever tells others of events: what nobody has looked at yet, and what nobody waits for any more. */

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
    select id from event_queue where account = ${account} order by id limit ${count} for update skip locked)
  returning id`

interface Forgetting {
  before: Date
  /** A condition on the event `e`. */
  isWaitedFor: RawBuilder<unknown>
  atOnce: number
}

/** Removes old events; one that somebody still waits for stays. Gives how many. */
export async function forgetEvents(
  { db, accountId }: Context,
  { before, isWaitedFor, atOnce }: Forgetting,
): Promise<number> {
  const { numAffectedRows } = await sql`delete from events where account_id = ${accountId} and id in (
    select id from events e where account_id = ${accountId} and created < ${before} and not ${isWaitedFor}
    and not exists (select from event_queue q where q.account = ${accountId} and q.id = e.id)
    limit ${atOnce})`.execute(db)
  return Number(numAffectedRows)
}
