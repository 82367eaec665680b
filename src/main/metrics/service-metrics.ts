import type { Database } from '#kernel/database/database.ts'
import type { Metrics } from '#kernel/http/metrics.ts'

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
