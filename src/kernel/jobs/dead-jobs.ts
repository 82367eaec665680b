import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { jobsChannel } from './enqueue.ts'

export const jobStates = ['waiting', 'running', 'dead'] as const
export type JobState = (typeof jobStates)[number]

/** Jobs of one state, the longest due first, and how many there are of them. */
export async function listJobs(db: Db, state: JobState, queue: string | undefined, count: number) {
  const chosen = db
    .selectFrom('jobs')
    .where('state', '=', state)
    .$if(queue !== undefined, (query) => query.where('queue', '=', queue as string))
  const jobs = await chosen
    .select(['id', 'queue', 'name', 'account', 'attempts', 'due', 'lastError'])
    .orderBy('due')
    .orderBy('id')
    .limit(count)
    .execute()
  const { total } = await chosen.select((eb) => eb.fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
  return { jobs, total: Number(total) }
}

/** Gives dead jobs all their tries again, from now on; the ids of those that could be revived. */
export async function revive(db: Db, which: { id: string } | { queue: string }, now: Date): Promise<string[]> {
  const chosen = 'id' in which ? sql`id = ${which.id}` : sql`queue = ${which.queue}`
  // Only one of a name and key may wait: one that waits already is newer, and among the dead the newest is.
  const { rows } = await sql<{ id: string; queue: string }>`
    update jobs set state = 'waiting', due = ${now}, attempts = 0
    where state = 'dead' and id in (
      select distinct on (name, coalesce(key, id)) id from jobs
      where state = 'dead' and ${chosen} and not exists (
        select from jobs newer where newer.name = jobs.name and newer.key = jobs.key and newer.state = 'waiting')
      order by name, coalesce(key, id), created desc, id desc)
    returning id, queue`.execute(db)
  for (const queue of new Set(rows.map((row) => row.queue)))
    await sql`select pg_notify(${jobsChannel}, ${queue})`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deletes a dead job; whether there was one. */
export async function discard(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('state', '=', 'dead')
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function stateOf(db: Db, id: string): Promise<JobState | undefined> {
  const found = await db.selectFrom('jobs').select('state').where('id', '=', id).executeTakeFirst()
  return found?.state as JobState | undefined
}
