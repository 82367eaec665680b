import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'

const question = 'chorus:metrics?'
const answer = 'chorus:metrics'

/** In the parent: adds up the metrics of all processes for whichever of them is asked. */
export function answerForAll() {
  const all = new AggregatorRegistry()
  cluster.on('message', async (worker: Worker, message: unknown) => {
    if (message !== question) return
    const text = await all.clusterMetrics().catch(() => '')
    if (worker.isConnected()) worker.send({ [answer]: text })
  })
}

/** Reads the metrics: those of all processes where there are several, else this one's. */
export function metricsReader(registry: Registry): () => Promise<string> {
  if (!cluster.isWorker) return () => registry.metrics()
  AggregatorRegistry.setRegistries(registry)
  // Constructing one is what makes this process answer the parent.
  new AggregatorRegistry()
  return () =>
    new Promise((resolve) => {
      const hear = (message: { [answer]?: string }) => {
        if (message?.[answer] === undefined) return
        process.off('message', hear)
        resolve(message[answer])
      }
      process.on('message', hear)
      process.send?.(question)
    })
}
