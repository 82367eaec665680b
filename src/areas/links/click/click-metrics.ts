import { sql } from 'kysely'
import type { Clock } from '#kernel/clock.ts'
import { acrossAccounts } from '#kernel/database/across-accounts.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Metrics } from '#kernel/http/metrics.ts'

/** Whether click counting keeps up: clicks that are stored and not counted yet, and how long the oldest has waited. */
export function addClickMetrics(metrics: Metrics, db: Db, clock: Clock) {
  metrics.gauges({
    labels: ['state'],
    series: {
      clicks_count: 'Clicks that wait to be counted.',
      clicks_oldest_seconds: 'Seconds since the oldest of them was made.',
    },
    async read() {
      const now = clock.now()
      const { rows } = await sql<{ count: number; oldest: Date | null }>`
        select coalesce(sum(size), 0)::int as count, min(at) as oldest from click_bundles
        ${acrossAccounts('waiting clicks')}`.execute(db)
      return rows.map(({ count, oldest }) => ({
        labels: { state: 'waiting' },
        values: {
          clicks_count: count,
          clicks_oldest_seconds: oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1000) : 0,
        },
      }))
    },
  })
}
