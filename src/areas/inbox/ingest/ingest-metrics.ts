import { sql } from 'kysely'
import type { Clock } from '#kernel/clock.ts'
import { acrossAccounts } from '#kernel/database/across-accounts.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Metrics } from '#kernel/http/metrics.ts'

/** Whether ingest keeps up, read from its jobs. */
export function addInboxMetrics(metrics: Metrics, db: Db, clock: Clock) {
  metrics.gauges({
    labels: ['work'],
    series: {
      inbox_work_waiting: 'Profiles whose arrivals wait to be put into the inbox, or whose network waits to be asked.',
      inbox_oldest_seconds: 'Seconds since the oldest of that was due.',
    },
    async read() {
      const now = clock.now()
      const { rows } = await sql<{ work: string; count: number; oldest: Date | null }>`
        select queue as work, count(*)::int as count, min(due) as oldest
        from jobs where state in ('waiting', 'running') and queue in ('arrivals', 'polls') and due <= ${now}
        group by queue ${acrossAccounts('jobs by state')}`.execute(db)
      return ['arrivals', 'polls'].map((work) => {
        const { count = 0, oldest = null } = rows.find((row) => row.work === work) ?? {}
        const seconds = oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1000) : 0
        return { labels: { work }, values: { inbox_work_waiting: count, inbox_oldest_seconds: seconds } }
      })
    },
  })
}
