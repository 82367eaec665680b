import { sql } from 'kysely'
import type { Clock } from '#kernel/clock.ts'
import { acrossAccounts } from '#kernel/database/across-accounts.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import type { Metrics } from '#kernel/http/metrics.ts'

/** Shows whether counting keeps up: clicks that are written down and not counted yet, and for how long the first has waited. */
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

/** Shows whether this process has enough connections: those it has, those nobody uses, and who waits for one. */
export function addDatabaseMetrics(metrics: Metrics, database: Database) {
  for (const state of ['total', 'idle', 'waiting'] as const) {
    metrics.gauge(
      `database_connections_${state}`,
      `Database connections: ${state}.`,
      () => database.connections()[state],
    )
  }
}

/** Shows whether what networks tell gets stuck on its way into the inbox: by the jobs that bring it there, as these belong to no account's rows. */
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
        group by queue ${acrossAccounts('jobs by their state')}`.execute(db)
      return ['arrivals', 'polls'].map((work) => {
        const { count = 0, oldest = null } = rows.find((row) => row.work === work) ?? {}
        const seconds = oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1000) : 0
        return { labels: { work }, values: { inbox_work_waiting: count, inbox_oldest_seconds: seconds } }
      })
    },
  })
}

/** Shows whether sends get stuck: profiles that have something to send, and for how long the first of them has waited. */
export function addSendingMetrics(metrics: Metrics, db: Db, clock: Clock) {
  metrics.gauges({
    labels: ['state'],
    series: {
      publishing_profiles: 'Profiles with something due: waiting for a worker, or served by one.',
      publishing_oldest_seconds: 'Seconds since the oldest of what they have to send was due.',
    },
    async read() {
      const now = clock.now()
      const { rows } = await sql<{ state: string; count: number; oldest: Date | null }>`
        select 'waiting' as state, count(*)::int as count, min(due) as oldest from profile_lanes where worker is null and due <= ${now}
        union all select 'served', count(*)::int, min(due) from profile_lanes where worker is not null
        ${acrossAccounts('profiles with something due')}`.execute(db)
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
