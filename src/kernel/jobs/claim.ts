import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** A job this worker holds. The fence proves it: a later claim has a higher one. */
export interface Claim {
  id: string
  name: string
  payload: unknown
  attempts: number
  fence: number
}

/** Takes due jobs of one queue, the most urgent first. Jobs other workers are just taking are passed over, not waited for. */
export async function claimJobs(db: Db, queue: string, worker: string, now: Date, count: number): Promise<Claim[]> {
  const { rows } = await sql<Claim>`
    update jobs set state = 'running', worker = ${worker}, fence = fence + 1, attempts = attempts + 1
    where exists (select from job_workers where id = ${worker} and lease_until > clock_timestamp()) and id in (
      select id from jobs where queue = ${queue} and state = 'waiting' and due <= ${now}
      order by priority, due, id limit ${count} for update skip locked)
    returning id, name, payload, attempts, fence`.execute(db)
  return rows
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
    with gone as (delete from job_workers where lease_until < clock_timestamp() returning id)
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
