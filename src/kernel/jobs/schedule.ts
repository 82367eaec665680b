import type { Database } from '../database/database.ts'
import { enqueue } from './enqueue.ts'
import type { Job } from './job.ts'

/** A job that comes again and again. */
export interface Recurring {
  job: Pick<Job<Record<string, never>>, 'name' | 'queue'>
  /** Milliseconds from one to the next. */
  every: number
}

/** Enqueues what is due. Whoever moves the time forward does it: every process may ask, one run comes of it. */
export async function enqueueRecurring(database: Database, recurring: readonly Recurring[], now: Date) {
  const times = new Map(
    (await database.shared.selectFrom('jobSchedule').selectAll().execute()).map((row) => [row.name, row.next]),
  )
  const due = recurring.filter(({ job }) => (times.get(job.name) ?? now) <= now)
  for (const { job, every } of due) {
    await database.transaction('', async (db) => {
      const next = new Date(now.getTime() + every)
      const moved = await db
        .insertInto('jobSchedule')
        .values({ name: job.name, next })
        .onConflict((on) => on.column('name').doUpdateSet({ next }).where('jobSchedule.next', '<=', now))
        .returning('name')
        .executeTakeFirst()
      if (moved) await enqueue({ db, now }, job, {}, { key: 'recurring' })
    })
  }
}
