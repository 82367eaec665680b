import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { acrossAccounts } from '../database/across-accounts.ts'
import type { Db } from '../database/database.ts'
import type { Metrics } from '../http/metrics.ts'
import { jobStates } from './dead-jobs.ts'
import { queues } from './job.ts'

interface Row {
  queue: string
  state: string
  count: number
  oldest: Date | null
}

/** Shows how many jobs wait, run and are dead, and for how long; of those that wait only what is due. */
export function addJobMetrics(metrics: Metrics, db: Db, clock: Clock) {
  metrics.gauges({
    labels: ['queue', 'state'],
    series: {
      jobs_count: 'Jobs that are due and wait, that run, that are dead.',
      jobs_oldest_seconds: 'Seconds since the oldest of these jobs was due.',
    },
    async read() {
      const now = clock.now()
      const rows = await countJobs(db, now)
      return rows.map(({ queue, state, count, oldest }) => ({
        labels: { queue, state },
        values: {
          jobs_count: count,
          jobs_oldest_seconds: oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1000) : 0,
        },
      }))
    },
  })
}

/** By the indexes of what is due and of what does not wait, so that a million jobs for next week cost nothing. */
async function countJobs(db: Db, now: Date): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select queue, 'waiting' as state, count(*)::int as count, min(due) as oldest from jobs
    where state = 'waiting' and fence >= 0 and due <= ${now} group by queue
    union all
    select queue, state, count(*)::int, min(due) from jobs where state in ('running', 'dead') group by queue, state
    ${acrossAccounts('jobs by their state')}`.execute(db)
  const known = new Map(rows.map((row) => [`${row.queue} ${row.state}`, row]))
  return Object.keys(queues).flatMap((queue) =>
    jobStates.map((state) => known.get(`${queue} ${state}`) ?? { queue, state, count: 0, oldest: null }),
  )
}
