import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { freeRows } from '../database/locks.ts'
import { isLiving } from './lease.ts'

/** A job this worker holds. The fence proves it: a later claim has a higher one. */
export interface Claim {
  id: string
  name: string
  /** Whose work it is: an account, or nobody's where it is empty. */
  owner: string
  payload: unknown
  attempts: number
  fence: number
}

export interface ClaimOrder {
  queue: string
  worker: string
  now: Date
  count: number
  /** How many jobs of one owner may run in this process at a time. */
  share: number
  /** The owners this process has served, the longest ago first, and how many jobs of each it runs. */
  served: readonly { owner: string; running: number }[]
}

/** Up to so many due jobs all are looked at; where there are more, somebody has a backlog, and the owners are gone through. */
const lookedAt = 200

/**
 * Takes due jobs of one queue in turn, owner by owner: who has the fewest running comes first, then who was served the longest
 * ago; of one owner the most urgent. Jobs other workers are just taking are passed over, not waited for.
 */
export async function claimJobs(db: Db, { queue, worker, now, count, share, served }: ClaimOrder): Promise<Claim[]> {
  const owners = served.map(({ owner }) => owner)
  const running = served.map(({ running }) => running)
  const { rows } = await sql<Claim>`
    with recursive seen as materialized (
      select account from jobs where queue = ${queue} and state = 'waiting' and due <= ${now}
      order by priority, due, id limit ${lookedAt}),
    backlog (account) as (
      (select account from jobs where queue = ${queue} and state = 'waiting' and (select count(*) from seen) = ${lookedAt}
       order by account limit 1)
      union all
      select (select account from jobs where queue = ${queue} and state = 'waiting' and account > backlog.account
              order by account limit 1) from backlog where backlog.account is not null),
    owners as (
      select account, coalesce(running, 0) as running, coalesce(turn, 0) as turn
      from (select account from seen union select account from backlog where account is not null) found
      left join unnest(${owners}::text[], ${running}::int[]) with ordinality as known (account, running, turn) using (account)),
    picked as materialized (
      select first.*, owners.running + row_number() over (partition by owners.account order by first.priority, first.due, first.id) as place, turn
      from owners cross join lateral (
        select id, priority, due from jobs
        where queue = ${queue} and state = 'waiting' and account = owners.account and due <= ${now}
        order by priority, due, id limit greatest(${share} - owners.running, 0)) first
      order by place, turn, priority, due, id limit ${count * spare})
    update jobs set state = 'running', worker = ${worker}, fence = fence + 1, attempts = attempts + 1
    where exists (select from job_workers where id = ${worker} and lease_until > clock_timestamp()) and id in (
      select jobs.id from picked join jobs on jobs.id = picked.id and jobs.state = 'waiting'
      order by place, turn, picked.priority, picked.due, picked.id limit ${count} ${freeRows('jobs', 'update')})
    returning id, name, account as owner, payload, attempts, fence`.execute(db)
  return rows
}

/** More than wanted are picked, as another worker may be taking the same. */
const spare = 4

/** Which of the queues have something due. */
export async function queuesWithWork<Queue extends string>(
  db: Db,
  queues: readonly Queue[],
  now: Date,
): Promise<Queue[]> {
  const { rows } = await sql<{ queue: Queue }>`
    select queue from unnest(${queues}::text[]) as asked (queue)
    where exists (select from jobs where jobs.queue = asked.queue and state = 'waiting' and due <= ${now})`.execute(db)
  return rows.map(({ queue }) => queue)
}

/** Thrown where a job turns out to be held by another process: nothing this one did may stand. */
export class LostJob extends Error {
  override name = 'LostJob'
}

/** Ends a job that is done; refuses if somebody else holds it by now. */
export async function settle(db: Db, { id, fence }: Claim) {
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'running')
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new LostJob(`The job ${id} is held by another process.`)
}

/** Puts a job back for another try, or to the dead ones with the reason when there is no try left. */
export async function giveBack(db: Db, { id, fence }: Claim, error: string, retryAt: Date | undefined) {
  await db
    .updateTable('jobs')
    .set({
      state: retryAt ? 'waiting' : 'dead',
      worker: null,
      // The database cannot keep a zero character, and a job that cannot be given back would stay taken.
      lastError: error.replaceAll('\0', '').slice(0, 2000),
      ...(retryAt && { due: retryAt }),
    })
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'running')
    .execute()
}

/** Frees the jobs of workers whose lease is over, and gives their number. */
export async function freeAbandoned(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    with gone as (delete from job_workers where not (${isLiving}) returning id)
    update jobs set state = 'waiting', worker = null, due = ${now}, last_error = 'The process that ran it ended.'
    where state = 'running' and (worker in (select id from gone) or worker not in (select id from job_workers))
    returning id`.execute(db)
  return rows.length
}

/** Gives back what an ending worker still holds, without counting the try. */
export async function leave(db: Db, worker: string, now: Date) {
  await sql`update jobs set state = 'waiting', worker = null, due = ${now}, attempts = attempts - 1
            where state = 'running' and worker = ${worker}`.execute(db)
}
