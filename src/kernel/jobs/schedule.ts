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
  // Later than the next time can be, it was set while the clock was ahead.
  const latest = (every: number) => new Date(now.getTime() + every)
  const due = recurring.filter(({ job, every }) => {
    const next = times.get(job.name) ?? now
    return next <= now || next > latest(every)
  })
  for (const { job, every } of due) {
    await database.transaction('', async (db) => {
      const next = latest(every)
      const moved = await db
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
      if (moved) await enqueue({ db, now }, job, {}, { key: 'recurring' })
    })
  }
}
