import { sql } from 'kysely'
import type { Clock } from '#kernel/clock.ts'
import { acrossAccounts } from '#kernel/database/across-accounts.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Metrics } from '#kernel/http/metrics.ts'
import { defineArea } from '../area.ts'

export const sending = defineArea({
  name: 'sending',
  dependsOn: ['profiles'],
  tables: ['networkPublishingPauses', 'profilePartitions', 'sendingState', 'sends'],
  locks: { sendingState: 'clicksOfAccount', sends: 'inboxReplies' },
  metrics: addSendingMetrics,
})

/** Whether sending keeps up: profiles with due sends, and how long the oldest has waited. */
function addSendingMetrics(metrics: Metrics, db: Db, clock: Clock) {
  metrics.gauges({
    labels: ['state'],
    series: {
      publishing_profiles: 'Profiles with something due: waiting for a worker, or served by one.',
      publishing_oldest_seconds: 'Seconds since the oldest of what they have to send was due.',
    },
    async read() {
      const now = clock.now()
      const { rows } = await sql<{ state: string; count: number; oldest: Date | null }>`
        select 'waiting' as state, count(*)::int as count, min(due) as oldest from profile_partitions where worker is null and due <= ${now}
        union all select 'served', count(*)::int, min(due) from profile_partitions where worker is not null
        ${acrossAccounts('profiles with due work')}`.execute(db)
      return rows.map(({ state, count, oldest }) => ({
        labels: { state },
        values: {
          publishing_profiles: count,
          publishing_oldest_seconds: oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1000) : 0,
        },
      }))
    },
  })
}
