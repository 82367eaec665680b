import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Job } from './job.ts'

/**
 * After the clock was set back: jobs that were written while it was ahead wait as long as they would have, and not until the clock
 * is there again. Those that were tried wait for their next try at most.
 */
export async function bringForward(db: Db, jobs: readonly Pick<Job<never>, 'name' | 'waits'>[], now: Date) {
  const names = jobs.map(({ name }) => name)
  const longest = jobs.map(({ waits }) => Math.max(0, ...waits) / 1000)
  await sql`
    update jobs set due = due - (created - ${now}::timestamptz), created = ${now}
    where state = 'waiting' and due > ${now} and created > ${now}::timestamptz + interval '1 minute'`.execute(db)
  await sql`
    update jobs set due = ${now}
    from unnest(${names}::text[], ${longest}::double precision[]) as known (name, longest)
    where jobs.name = known.name and state = 'waiting' and attempts > 0
      and due > ${now}::timestamptz + make_interval(secs => longest) + interval '1 minute'`.execute(db)
}
