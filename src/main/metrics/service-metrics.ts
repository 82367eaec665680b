import type { Database } from '#kernel/database/database.ts'
import type { Metrics } from '#kernel/http/metrics.ts'

/** Connection pool metrics: open and idle connections, and waiting requests. */
export function addDatabaseMetrics(metrics: Metrics, database: Database) {
  for (const state of ['total', 'idle', 'waiting'] as const) {
    metrics.gauge(
      `database_connections_${state}`,
      `Database connections: ${state}.`,
      () => database.connections()[state],
    )
  }
}
