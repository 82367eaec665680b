import { sql } from 'kysely'
import { accountsOf, inStatements, type Reach } from '../agenda/reach.ts'
import { acrossAccounts } from '../database/across-accounts.ts'
import type { Db } from '../database/database.ts'
import type { Job } from './job.ts'

interface Moved {
  account: string
  id: string
  due: Date
}

/**
 * After the clock was set back: jobs that were written while it was ahead wait as long as they would have, and not until the clock
 * is there again. Those that were tried wait for their next try at most.
 */
export async function bringForward(
  db: Db,
  jobs: readonly Pick<Job<never>, 'name' | 'waits'>[],
  now: Date,
  reach: Reach,
) {
  const names = jobs.map(({ name }) => name)
  const longest = jobs.map(({ waits }) => Math.max(0, ...waits) / 1000)
  const { rows: written } = await sql<Moved>`
    select account, id, due - (created - ${now}::timestamptz) as due from jobs
    where state = 'waiting' and due > ${now} and created > ${now}::timestamptz + interval '1 minute'
    ${acrossAccounts('what was put off by a clock that was ahead')}`.execute(db)
  await move(db, written, now, reach)
  const { rows: tried } = await sql<Moved>`
    select account, id, ${now}::timestamptz as due from jobs
    join unnest(${names}::text[], ${longest}::double precision[]) as known (name, longest) on jobs.name = known.name
    where state = 'waiting' and attempts > 0
      and due > ${now}::timestamptz + make_interval(secs => longest) + interval '1 minute'
    ${acrossAccounts('what was put off by a clock that was ahead')}`.execute(db)
  await move(db, tried, now, reach)
}

/** What was taken meanwhile stays as it is. */
async function move(db: Db, jobs: readonly Moved[], now: Date, reach: Reach) {
  for (const some of inStatements(jobs, reach))
    await sql`
      update jobs set due = moved.due, created = least(created, ${now})
      from unnest(${some.map(({ account }) => account)}::text[], ${some.map(({ id }) => id)}::text[],
        ${some.map(({ due }) => due)}::timestamptz[]) as moved (account, id, due)
      where jobs.account = any (${accountsOf(some)}) and jobs.account = moved.account and jobs.id = moved.id
        and jobs.state = 'waiting'`.execute(db)
}
