import { sql } from 'kysely'
import {
  accountFilter,
  acrossAccounts,
  type BatchLimits,
  chunkByAccount,
  distinctAccounts,
} from '../database/across-accounts.ts'
import { type Database, type Db, later } from '../database/database.ts'
import { lockFreeRows } from '../database/locks.ts'
import { kernelIds, newId } from '../ids.ts'
import { type DueQuery, notifyDue } from './due-accounts.ts'
import type { Job } from './job.ts'
import { leaseIsValid } from './lease.ts'
import { type AccountLoad, type ClaimResult, findAccountsWithMore } from './scheduler.ts'

/** The `jobs` table: enqueue, claim, complete, retry, release. */

export const jobsChannel = 'chorus_jobs'

interface EnqueueOptions {
  /** Not before this time; now by default. */
  due?: Date
  /** While a job with this account, name and key waits, enqueueing replaces it. */
  key?: string
  /** Lower runs first. */
  priority?: number
}

interface EnqueueContext {
  db: Db
  now: Date
  /** Absent for work that belongs to no account. */
  accountId?: string
}

/** Enqueues a job in the caller's transaction: it runs if and only if that commits. */
export async function enqueue<Payload extends object>(
  { db, now, accountId = '' }: EnqueueContext,
  { name, queue }: Pick<Job<Payload>, 'name' | 'queue'>,
  payload: Payload,
  { due = now, key, priority = 0 }: EnqueueOptions = {},
) {
  const row = {
    id: newId(kernelIds.job, now),
    queue,
    name,
    key: key ?? null,
    account: accountId,
    priority,
    created: now,
    due,
  }
  const insertion = db
    .insertInto('jobs')
    .values({ ...row, payload: JSON.stringify(payload) })
    .onConflict((on) =>
      on
        .columns(['account', 'name', 'key'])
        .where('key', 'is not', null)
        // A literal: in a cached generic plan a parameter would not match the predicate of the partial index.
        .where('state', '=', sql.lit('waiting'))
        .doUpdateSet({ payload: JSON.stringify(payload), due, priority }),
    )
  await later(db, insertion)
  await notifyDue(db, jobsChannel, now, { kind: queue, account: accountId, due })
}

/** Enqueues many jobs of one kind, without keys. */
export async function enqueueAll<Payload extends object>(
  { db, now, accountId = '' }: EnqueueContext,
  { name, queue }: Pick<Job<Payload>, 'name' | 'queue'>,
  payloads: readonly Payload[],
  { priority = 0 }: Pick<EnqueueOptions, 'priority'> = {},
) {
  if (payloads.length === 0) return
  const ids = payloads.map(() => newId(kernelIds.job, now))
  const insertion = sql`
    insert into jobs (id, queue, name, account, payload, priority, created, due)
    select j.id, ${queue}, ${name}, ${accountId}, j.payload::jsonb, ${priority}, ${now}, ${now}
    from unnest(${ids}::text[], ${payloads.map((payload) => JSON.stringify(payload))}::text[]) as j (id, payload)
    returning id`
  await later(db, insertion)
  await notifyDue(db, jobsChannel, now, { kind: queue, account: accountId, due: now })
}

export interface RecurringJob {
  job: Pick<Job<Record<string, never>>, 'name' | 'queue'>
  /** Milliseconds between runs. */
  every: number
}

/** Enqueues recurring jobs that are due. Every process may call this: whichever advances the schedule row enqueues the run. */
export async function enqueueRecurring(database: Database, recurring: readonly RecurringJob[], now: Date) {
  const times = new Map(
    (await database.shared.selectFrom('jobSchedule').selectAll().execute()).map((row) => [row.name, row.next]),
  )
  const latest = (every: number) => new Date(now.getTime() + every)
  const due = recurring.filter(({ job, every }) => {
    const next = times.get(job.name) ?? now
    // A time further ahead than one period was written while the clock ran ahead.
    return next <= now || next > latest(every)
  })
  for (const { job, every } of due) {
    await database.transaction('', async (db) => {
      const next = latest(every)
      const advanced = await db
        .insertInto('jobSchedule')
        .values({ name: job.name, next })
        .onConflict((on) =>
          on
            .column('name')
            .doUpdateSet({ next })
            .where((row) => row.or([row('jobSchedule.next', '<=', now), row('jobSchedule.next', '>', next)])),
        )
        .returning('name')
        .executeTakeFirst()
      if (advanced) await enqueue({ db, now }, job, {}, { key: 'recurring' })
    })
  }
}

/** Waiting jobs, for the scan over all accounts; the kind is the queue. */
export const waitingJobs: DueQuery = (until) =>
  sql`select account, queue as kind, due from jobs where state = 'waiting' and fence >= 0 and due <= ${until}`

/** A job claimed by this process. Every claim raises the fence, so a stale holder can be refused. */
export interface ClaimedJob {
  /** Empty for work that belongs to no account. */
  account: string
  id: string
  name: string
  payload: unknown
  attempts: number
  fence: number
}

interface ClaimOptions {
  queue: string
  worker: string
  now: Date
  count: number
  /** Jobs of one account that may run in this process at a time. */
  maxPerAccount: number
  /** Longest waiting first. */
  accounts: readonly AccountLoad[]
}

/** Candidates selected per job wanted, since other workers may lock some of them. */
const overfetch = 4

/**
 * Claims due jobs of a queue. Accounts with the fewest running jobs come first, then those waiting longest; within an account jobs are
 * taken by priority. Rows locked by other workers are skipped.
 */
export async function claimJobs(db: Db, options: ClaimOptions): Promise<ClaimResult<ClaimedJob>> {
  const { queue, worker, now, count, maxPerAccount } = options
  const accounts = options.accounts.map(({ account }) => account)
  const running = options.accounts.map((load) => load.running)
  const { rows } = await sql<Candidate>`
    with candidates as materialized (
      select first.*, turn, running + row_number() over (partition by first.account order by first.priority, first.due, first.id) as level
      from unnest(${accounts}::text[], ${running}::int[]) with ordinality as load (owner, running, turn)
      cross join lateral (
        select account, id, priority, due from jobs
        where ${accountFilter(accounts)} and account = owner and queue = ${queue} and state = 'waiting' and due <= ${now}
        order by priority, due, id limit least(${maxPerAccount} - running, ${count * overfetch})) first
      order by level, turn limit ${count * overfetch}),
    claimed as (
      update jobs set state = 'running', worker = ${worker}, fence = fence + 1, attempts = attempts + 1
      where ${accountFilter(accounts)} and ${worker} in (select id from job_workers where lease_until > clock_timestamp())
        and (account, id) in (
          select own.account, own.id from candidates cross join lateral (
            select account, id from jobs
            where ${accountFilter(accounts)} and account = candidates.account and id = candidates.id and state = 'waiting'
            ${lockFreeRows('jobs', 'update')}) own
          limit ${count})
      returning account, id, name, payload, attempts, fence)
    select account, id, name, payload, attempts, fence from claimed
    union all select account, id, null, null, null, null from candidates`.execute(db)
  const claims = rows.filter(isClaimed)
  const candidates = rows.filter((row) => !isClaimed(row))
  const more = findAccountsWithMore({
    accounts: options.accounts,
    maxPerAccount,
    candidates,
    claimed: claims,
    isTruncated: candidates.length >= count * overfetch,
  })
  return { claims, accountsWithMore: more }
}

/** A selected job, whether it was then claimed or not. */
type Candidate = ClaimedJob | { account: string; id: string; fence: null }

const isClaimed = (row: Candidate): row is ClaimedJob => row.fence !== null

/** Thrown when a job turns out to be claimed by another process; all changes by this process must be rolled back. */
export class LostJob extends Error {
  override name = 'LostJob'
}

/** Deletes a finished job; refuses if another process holds it. */
export async function completeJob(db: Db, { account, id, fence }: ClaimedJob) {
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('account', '=', account)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'running')
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new LostJob(`The job ${id} is held by another process.`)
}

/** Schedules a failed job for another attempt, or marks it dead when there is none left. */
export async function failJob(db: Db, claim: ClaimedJob, error: string, retryAt: Date | undefined) {
  try {
    await writeFailure(db, claim, error, retryAt)
  } catch (conflict) {
    // A job with the same key was enqueued meanwhile; only one waiting job may have the key.
    if ((conflict as { code?: string }).code !== '23505') throw conflict
    await writeFailure(db, claim, error, retryAt, { key: null })
  }
}

async function writeFailure(
  db: Db,
  { account, id, fence }: ClaimedJob,
  error: string,
  retryAt: Date | undefined,
  more: { key?: null } = {},
) {
  await db
    .updateTable('jobs')
    .set({
      state: retryAt ? 'waiting' : 'dead',
      worker: null,
      // PostgreSQL cannot store a NUL character, and a failure that cannot be written would leave the job claimed.
      lastError: error.replaceAll('\0', '').slice(0, 2000),
      ...(retryAt && { due: retryAt }),
      ...more,
    })
    .where('account', '=', account)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'running')
    .execute()
}

interface RunningJob {
  account: string
  id: string
  worker: string
  name: string
  key: string | null
}

/** Releases the jobs of workers whose lease has expired; returns how many. */
export async function releaseAbandonedJobs(db: Db, now: Date, limits: BatchLimits): Promise<number> {
  const isAbandoned = sql`worker not in (select id from job_workers where ${leaseIsValid})`
  const { rows } = await sql<RunningJob>`
    select account, id, worker, name, key from jobs where state = 'running' and ${isAbandoned}
    ${acrossAccounts('claims of stopped workers')}`.execute(db)
  for (const chunk of chunkByAccount(rows, limits))
    await sql`
      update jobs set state = 'waiting', worker = null, due = ${now}, last_error = 'The process that ran it ended.',
        key = ${keyUnlessIn(await findReplaced(db, chunk))}
      where ${isStillRunning(chunk)} and ${isAbandoned}`.execute(db)
  return rows.length
}

/** Releases the jobs a stopping worker still holds, without counting the attempt. */
export async function releaseWorkerJobs(db: Db, worker: string, now: Date, limits: BatchLimits) {
  const { rows } = await sql<RunningJob>`
    select account, id, worker, name, key from jobs where state = 'running' and worker = ${worker}
    ${acrossAccounts('claims of stopped workers')}`.execute(db)
  for (const chunk of chunkByAccount(rows, limits))
    await sql`
      update jobs set state = 'waiting', worker = null, due = ${now}, attempts = attempts - 1,
        key = ${keyUnlessIn(await findReplaced(db, chunk))}
      where ${isStillRunning(chunk)}`.execute(db)
}

/** With the workers they were read with: a job claimed by a new worker since then is left alone. */
const isStillRunning = (jobs: readonly RunningJob[]) => sql`
  account = any (${distinctAccounts(jobs)}) and id = any (${jobs.map(({ id }) => id)}) and state = 'running'
    and worker = any (${[...new Set(jobs.map(({ worker }) => worker))]})`

/**
 * Ids of jobs whose key another waiting job has, or is about to get. Only one waiting job may have a key, so these are released without it.
 */
async function findReplaced(db: Db, jobs: readonly RunningJob[]): Promise<string[]> {
  const keyed = jobs.filter(({ key }) => key !== null)
  if (keyed.length === 0) return []
  const accounts = distinctAccounts(keyed)
  const { rows } = await sql<{ account: string; name: string; key: string }>`
    select account, name, key from jobs
    where ${accountFilter(accounts)} and account = any (${accounts}) and state = 'waiting' and key is not null
      and name = any (${[...new Set(keyed.map(({ name }) => name))]}) and key = any (${keyed.map(({ key }) => key)})`.execute(
    db,
  )
  const identify = ({ account, name, key }: { account: string; name: string; key: string | null }) =>
    JSON.stringify([account, name, key])
  const taken = new Set(rows.map(identify))
  return keyed.flatMap((job) => {
    const identity = identify(job)
    if (taken.has(identity)) return [job.id]
    taken.add(identity)
    return []
  })
}

const keyUnlessIn = (ids: readonly string[]) => sql`case when id = any (${ids}::text[]) then null else key end`

interface Reschedule {
  account: string
  id: string
  due: Date
}

/**
 * After the clock was set back: jobs written while it ran ahead keep their delay instead of waiting for the clock to reach that time again.
 * Jobs that were attempted wait at most their longest retry delay.
 */
export async function rescheduleAfterClockChange(
  db: Db,
  jobs: readonly Pick<Job<never>, 'name' | 'retryDelays'>[],
  now: Date,
  limits: BatchLimits,
) {
  const names = jobs.map(({ name }) => name)
  const longest = jobs.map(({ retryDelays }) => Math.max(0, ...retryDelays) / 1000)
  const { rows: written } = await sql<Reschedule>`
    select account, id, due - (created - ${now}::timestamptz) as due from jobs
    where state = 'waiting' and due > ${now} and created > ${now}::timestamptz + interval '1 minute'
    ${acrossAccounts('work delayed by a clock change')}`.execute(db)
  await reschedule(db, written, now, limits)
  const { rows: attempted } = await sql<Reschedule>`
    select account, id, ${now}::timestamptz as due from jobs
    join unnest(${names}::text[], ${longest}::double precision[]) as known (name, longest) on jobs.name = known.name
    where state = 'waiting' and attempts > 0
      and due > ${now}::timestamptz + make_interval(secs => longest) + interval '1 minute'
    ${acrossAccounts('work delayed by a clock change')}`.execute(db)
  await reschedule(db, attempted, now, limits)
}

/** Jobs claimed meanwhile are left alone. */
async function reschedule(db: Db, jobs: readonly Reschedule[], now: Date, limits: BatchLimits) {
  for (const chunk of chunkByAccount(jobs, limits))
    await sql`
      update jobs set due = moved.due, created = least(created, ${now})
      from unnest(${chunk.map(({ account }) => account)}::text[], ${chunk.map(({ id }) => id)}::text[],
        ${chunk.map(({ due }) => due)}::timestamptz[]) as moved (account, id, due)
      where jobs.account = any (${distinctAccounts(chunk)}) and jobs.account = moved.account and jobs.id = moved.id
        and jobs.state = 'waiting'`.execute(db)
}
