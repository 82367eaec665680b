import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface HttpMetrics {
  observe(method: string, route: string, status: number, seconds: number): void
}

export interface Metrics extends HttpMetrics {
  readonly registry: Registry
  /** A number that is read whenever somebody looks. */
  gauge(name: string, help: string, read: () => number): void
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time to answer a request.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [registry],
  })
  // Finding a series by its labels costs more than observing it.
  const series = new Map<string, Histogram.Internal<string>>()
  return {
    registry,
    observe(method, route, status, seconds) {
      const key = `${method} ${route} ${status}`
      const one = series.get(key) ?? durations.labels(method, route, String(status))
      series.set(key, one)
      one.observe(seconds)
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read())
        },
      })
    },
  }
}
