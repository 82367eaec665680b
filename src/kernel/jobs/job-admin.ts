import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { acrossAccounts } from '../database/across-accounts.ts'
import type { Db } from '../database/database.ts'
import type { Metrics } from '../http/metrics.ts'
import { notifyDue } from './due-accounts.ts'
import { queues } from './job.ts'
import { jobsChannel } from './queue.ts'

/** Operator functions for `chorus jobs` and /metrics: list jobs, retry and discard dead ones. */

const forOperator = acrossAccounts('operator commands for jobs')

export const jobStates = ['waiting', 'running', 'dead'] as const
export type JobState = (typeof jobStates)[number]

/** Jobs in one state, longest due first, and their total. */
export async function listJobs(db: Db, state: JobState, queue: string | undefined, count: number) {
  const matching = db
    .selectFrom('jobs')
    .where('state', '=', state)
    .$if(queue !== undefined, (query) => query.where('queue', '=', queue as string))
  const jobs = await matching
    .select(['id', 'queue', 'name', 'account', 'attempts', 'due', 'lastError'])
    .orderBy('due')
    .orderBy('id')
    .limit(count)
    .modifyEnd(forOperator)
    .execute()
  const { total } = await matching
    .select((eb) => eb.fn.countAll<string>().as('total'))
    .modifyEnd(forOperator)
    .executeTakeFirstOrThrow()
  return { jobs, total: Number(total) }
}

/** Makes dead jobs due now with all their attempts restored; returns their ids. */
export async function retryDeadJobs(db: Db, which: { id: string } | { queue: string }, now: Date): Promise<string[]> {
  const matching = 'id' in which ? sql`id = ${which.id}` : sql`queue = ${which.queue}`
  const { rows } = await sql<{ account: string }>`
    select distinct account from jobs where state = 'dead' and ${matching} order by account
    ${forOperator}`.execute(db)
  const retried: string[] = []
  for (const { account } of rows) retried.push(...(await retryInAccount(db, account, matching, now)))
  return retried
}

async function retryInAccount(db: Db, account: string, matching: RawBuilder<unknown>, now: Date): Promise<string[]> {
  // One job per name and key may wait: a waiting one is newer, and of several dead ones the newest is retried.
  const { rows } = await sql<{ id: string; queue: string }>`
    update jobs set state = 'waiting', due = ${now}, attempts = 0
    where account = ${account} and state = 'dead' and id in (
      select distinct on (name, coalesce(key, id)) id from jobs
      where account = ${account} and state = 'dead' and ${matching} and not exists (
        select from jobs newer
        where newer.account = ${account} and newer.name = jobs.name and newer.key = jobs.key and newer.state = 'waiting')
      order by name, coalesce(key, id), created desc, id desc)
    returning id, queue`.execute(db)
  for (const kind of new Set(rows.map(({ queue }) => queue)))
    await notifyDue(db, jobsChannel, now, { kind, account, due: now })
  return rows.map(({ id }) => id)
}

/** Deletes a dead job; false if there is none. */
export async function discardDeadJob(db: Db, id: string): Promise<boolean> {
  const found = await findJob(db, id)
  if (!found) return false
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('account', '=', found.account)
    .where('id', '=', id)
    .where('state', '=', 'dead')
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const findJobState = async (db: Db, id: string) => (await findJob(db, id))?.state as JobState | undefined

/** An operator names a job by its id alone. */
const findJob = (db: Db, id: string) =>
  db.selectFrom('jobs').select(['account', 'state']).where('id', '=', id).modifyEnd(forOperator).executeTakeFirst()

interface JobCount {
  queue: string
  state: string
  count: number
  oldest: Date | null
}

/** Adds gauges for the number and age of jobs by queue and state; of waiting jobs only those that are due. */
export function addJobMetrics(metrics: Metrics, db: Db, clock: Clock) {
  metrics.gauges({
    labels: ['queue', 'state'],
    series: {
      jobs_unfinished: 'Jobs that are due and wait, that run, that are dead.',
      jobs_oldest_seconds: 'Seconds since the oldest of these jobs was due.',
    },
    async read() {
      const now = clock.now()
      const rows = await countJobs(db, now)
      return rows.map(({ queue, state, count, oldest }) => ({
        labels: { queue, state },
        values: {
          jobs_unfinished: count,
          jobs_oldest_seconds: oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1000) : 0,
        },
      }))
    },
  })
}

/** Uses the partial indexes of due and of non-waiting jobs, so that a million jobs scheduled for next week cost nothing. */
async function countJobs(db: Db, now: Date): Promise<JobCount[]> {
  const { rows } = await sql<JobCount>`
    select queue, 'waiting' as state, count(*)::int as count, min(due) as oldest from jobs
    where state = 'waiting' and fence >= 0 and due <= ${now} group by queue
    union all
    select queue, state, count(*)::int, min(due) from jobs where state in ('running', 'dead') group by queue, state
    ${acrossAccounts('jobs by state')}`.execute(db)
  const known = new Map(rows.map((row) => [`${row.queue} ${row.state}`, row]))
  return Object.keys(queues).flatMap((queue) =>
    jobStates.map((state) => known.get(`${queue} ${state}`) ?? { queue, state, count: 0, oldest: null }),
  )
}
