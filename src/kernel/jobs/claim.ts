import { sql } from 'kysely'
import { accountsOf, inStatements, ofThese, type Reach } from '../agenda/reach.ts'
import { type Asked, accountsWithMore, type Taken } from '../agenda/serve.ts'
import { acrossAccounts } from '../database/across-accounts.ts'
import type { Db } from '../database/database.ts'
import { freeRows } from '../database/locks.ts'
import { isLiving } from './lease.ts'

/** A job this worker holds. The fence proves it: a later claim has a higher one. */
export interface Claim {
  /** Whose work it is: nobody's where it is empty. */
  account: string
  id: string
  name: string
  payload: unknown
  attempts: number
  fence: number
}

export interface ClaimOrder {
  queue: string
  worker: string
  now: Date
  count: number
  /** How many jobs of one account may run in this process at a time. */
  share: number
  /** The accounts that are asked, who waits longest first, and how many jobs of each this process runs. */
  accounts: readonly Asked[]
}

/** More than wanted are picked, as another worker may be taking the same. */
const spare = 4

/**
 * Takes due jobs of one queue in turn, account by account: who has the fewest running comes first, then who waits longest; of one account
 * the most urgent. Jobs other workers are just taking are passed over, not waited for.
 */
export async function claimJobs(db: Db, order: ClaimOrder): Promise<Taken<Claim>> {
  const { queue, worker, now, count, share } = order
  const accounts = order.accounts.map(({ account }) => account)
  const running = order.accounts.map((asked) => asked.running)
  const { rows } = await sql<Picked>`
    with picked as materialized (
      select first.*, turn, running + row_number() over (partition by first.account order by first.priority, first.due, first.id) as place
      from unnest(${accounts}::text[], ${running}::int[]) with ordinality as asked (owner, running, turn)
      cross join lateral (
        select account, id, priority, due from jobs
        where ${ofThese(accounts)} and account = owner and queue = ${queue} and state = 'waiting' and due <= ${now}
        order by priority, due, id limit least(${share} - running, ${count * spare})) first
      order by place, turn limit ${count * spare}),
    taken as (
      update jobs set state = 'running', worker = ${worker}, fence = fence + 1, attempts = attempts + 1
      where ${ofThese(accounts)} and ${worker} in (select id from job_workers where lease_until > clock_timestamp())
        and (account, id) in (
          select own.account, own.id from picked cross join lateral (
            select account, id from jobs
            where ${ofThese(accounts)} and account = picked.account and id = picked.id and state = 'waiting'
            ${freeRows('jobs', 'update')}) own
          limit ${count})
      returning account, id, name, payload, attempts, fence)
    select account, id, name, payload, attempts, fence from taken
    union all select account, id, null, null, null, null from picked`.execute(db)
  const claims = rows.filter(isTaken)
  const picked = rows.filter((row) => !isTaken(row))
  const more = accountsWithMore({ ...order, picked, taken: claims, isCut: picked.length >= count * spare })
  return { claims, more }
}

/** A job that was picked, whether it was taken or not. */
type Picked = Claim | { account: string; id: string; fence: null }

const isTaken = (row: Picked): row is Claim => row.fence !== null

/** Thrown where a job turns out to be held by another process: nothing this one did may stand. */
export class LostJob extends Error {
  override name = 'LostJob'
}

/** Ends a job that is done; refuses if somebody else holds it by now. */
export async function settle(db: Db, { account, id, fence }: Claim) {
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('account', '=', account)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'running')
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new LostJob(`The job ${id} is held by another process.`)
}

/** Puts a job back for another try, or to the dead ones with the reason when there is no try left. */
export async function giveBack(db: Db, claim: Claim, error: string, retryAt: Date | undefined) {
  try {
    await putBack(db, claim, error, retryAt)
  } catch (conflict) {
    // The same was wanted once more meanwhile, and waits under the key.
    if ((conflict as { code?: string }).code !== '23505') throw conflict
    await putBack(db, claim, error, retryAt, { key: null })
  }
}

async function putBack(
  db: Db,
  { account, id, fence }: Claim,
  error: string,
  retryAt: Date | undefined,
  more: { key?: null } = {},
) {
  await db
    .updateTable('jobs')
    .set({
      state: retryAt ? 'waiting' : 'dead',
      worker: null,
      // The database cannot keep a zero character, and a job that cannot be given back would stay taken.
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

interface Held {
  account: string
  id: string
  worker: string
  name: string
  key: string | null
}

/** Frees the jobs of workers whose lease is over, and gives their number. */
export async function freeAbandoned(db: Db, now: Date, reach: Reach): Promise<number> {
  const isAbandoned = sql`worker not in (select id from job_workers where ${isLiving})`
  const { rows } = await sql<Held>`
    select account, id, worker, name, key from jobs where state = 'running' and ${isAbandoned}
    ${acrossAccounts('what a worker held')}`.execute(db)
  // Only of whom they were found with: a worker that came since then has been seen by now.
  for (const some of inStatements(rows, reach))
    await sql`
      update jobs set state = 'waiting', worker = null, due = ${now}, last_error = 'The process that ran it ended.',
        key = ${keyAmong(await replaced(db, some))}
      where ${areHeld(some)} and ${isAbandoned}`.execute(db)
  return rows.length
}

/** Gives back what an ending worker still holds, without counting the try. */
export async function leave(db: Db, worker: string, now: Date, reach: Reach) {
  const { rows } = await sql<Held>`
    select account, id, worker, name, key from jobs where state = 'running' and worker = ${worker}
    ${acrossAccounts('what a worker held')}`.execute(db)
  for (const some of inStatements(rows, reach))
    await sql`
      update jobs set state = 'waiting', worker = null, due = ${now}, attempts = attempts - 1,
        key = ${keyAmong(await replaced(db, some))}
      where ${areHeld(some)}`.execute(db)
}

const areHeld = (jobs: readonly Held[]) => sql`
  account = any (${accountsOf(jobs)}) and id = any (${jobs.map(({ id }) => id)}) and state = 'running'
    and worker = any (${[...new Set(jobs.map(({ worker }) => worker))]})`

/** Those of which another with the same key waits, or is about to: one key waits once, so they wait without. */
async function replaced(db: Db, jobs: readonly Held[]): Promise<string[]> {
  const keyed = jobs.filter(({ key }) => key !== null)
  if (keyed.length === 0) return []
  const accounts = accountsOf(keyed)
  const { rows } = await sql<{ account: string; name: string; key: string }>`
    select account, name, key from jobs
    where ${ofThese(accounts)} and account = any (${accounts}) and state = 'waiting' and key is not null
      and name = any (${[...new Set(keyed.map(({ name }) => name))]}) and key = any (${keyed.map(({ key }) => key)})`.execute(
    db,
  )
  const placeOf = ({ account, name, key }: { account: string; name: string; key: string | null }) =>
    JSON.stringify([account, name, key])
  const taken = new Set(rows.map(placeOf))
  return keyed.flatMap((job) => {
    const place = placeOf(job)
    if (taken.has(place)) return [job.id]
    taken.add(place)
    return []
  })
}

const keyAmong = (without: readonly string[]) => sql`case when id = any (${without}::text[]) then null else key end`
