import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Database } from '#kernel/database/database.ts'
import type { Metrics } from '#kernel/http/metrics.ts'

const question = 'chorus:metrics?'
const responseName = 'chorus:metrics'

/** In the parent: aggregates the metrics of all processes on request. */
export function answerForAll() {
  const all = new AggregatorRegistry()
  cluster.on('message', async (worker: Worker, message: unknown) => {
    if (message !== question) return
    const text = await all.clusterMetrics().catch(() => '')
    if (worker.isConnected()) worker.send({ [responseName]: text })
  })
}

/** Reads the aggregated metrics if there are several processes, otherwise those of this one. */
export function metricsReader(registry: Registry): () => Promise<string> {
  if (!cluster.isWorker) return () => registry.metrics()
  AggregatorRegistry.setRegistries(registry)
  // Its constructor registers the handler that responds to the parent.
  new AggregatorRegistry()
  return () =>
    new Promise((resolve) => {
      const onMessage = (message: { [responseName]?: string }) => {
        if (message?.[responseName] === undefined) return
        process.off('message', onMessage)
        resolve(message[responseName])
      }
      process.on('message', onMessage)
      process.send?.(question)
    })
}

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
