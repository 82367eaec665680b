import { Counter, collectDefaultMetrics, Gauge, type Histogram, type Metric, Registry } from 'prom-client'

export interface HttpMetrics {
  observe(method: string, route: string, status: number, seconds: number): void
  /** Returns an observer for one set of labels, for frequent observations. */
  observer(method: string, route: string, status: number): Observer
}

export interface Metrics extends HttpMetrics {
  readonly registry: Registry
  /** Registers a counter; returns the function that increments it. */
  counter(name: string, help: string): (more: number) => void
  /** A value that is read at each scrape. */
  gauge(name: string, help: string, read: () => number): void
  /** Values of the whole installation, read together at each scrape. Absent while they can't be read. */
  gauges<Name extends string, Label extends string>(gauges: Gauges<Name, Label>): void
}

interface Gauges<Name extends string, Label extends string> {
  labels: readonly Label[]
  /** Help text by metric name. */
  series: { readonly [name in Name]: string }
  read(): Promise<{ labels: { [label in Label]: string }; values: { [name in Name]: number } }[]>
}

/** Former names by the present one, exported beside it until the next version. */
export const formerMetrics: { readonly [name: string]: string } = {
  clicks_unprocessed: 'clicks_count',
  jobs_unfinished: 'jobs_count',
  rows_skipped: 'rows_unreadable',
}

/** The names under which a metric is exported. */
function namesOf(name: string, help: string): [name: string, help: string][] {
  const former = formerMetrics[name]
  return former
    ? [
        [name, help],
        [former, `Former name of ${name}.`],
      ]
    : [[name, help]]
}

export function openMetrics(): Metrics {
  const registry = new Registry()
  for (const metric of ofProcess()) registry.registerMetric(metric as unknown as Metric)
  const durations = openDurations(registry, 'http_server_request_duration_seconds', 'Time to answer a request.')
  // Nested, because a joined key would have to be built for every response.
  const observers = new Map<string, Map<string, Map<number, Observer>>>()
  const observer = (method: string, route: string, status: number): Observer => {
    const known = observers.get(route)?.get(method)?.get(status)
    if (known) return known
    const made = durations.observer({ method, route, status: String(status) })
    const ofRoute = observers.get(route) ?? new Map<string, Map<number, Observer>>()
    const ofMethod = ofRoute.get(method) ?? new Map<number, Observer>()
    observers.set(route, ofRoute.set(method, ofMethod.set(status, made)))
    return made
  }
  return {
    registry,
    observe: (method, route, status, seconds) => observer(method, route, status)(seconds),
    observer,
    counter(name, help) {
      const counter = new Counter({ name, help, registers: [registry] })
      return (more) => counter.inc(more)
    },
    gauge(name, help, read) {
      for (const [exported, about] of namesOf(name, help))
        new Gauge({
          name: exported,
          help: about,
          registers: [registry],
          collect() {
            this.set(read())
          },
        })
    },
    gauges: (gauges) => addGauges(registry, gauges),
  }
}

let measured: Registry | undefined

/** Process metrics are collected once, however many services the process has started: the collector can't be stopped. */
function ofProcess() {
  if (!measured) {
    measured = new Registry()
    collectDefaultMetrics({ register: measured })
  }
  return measured.getMetricsAsArray()
}

function addGauges<Name extends string, Label extends string>(
  registry: Registry,
  { labels, series, read }: Gauges<Name, Label>,
) {
  let reading: ReturnType<typeof read> | undefined
  // All gauges are collected in the same tick and share the pending read.
  const readOnce = () => {
    reading ??= inTime(read()).finally(() => {
      reading = undefined
    })
    return reading
  }
  for (const [name, help] of Object.entries(series) as [Name, string][]) {
    for (const [exported, about] of namesOf(name, help))
      new Gauge({
        name: exported,
        help: about,
        labelNames: [...labels],
        registers: [registry],
        // Every process of the installation reads the same value, so a sum would be meaningless.
        aggregator: 'max',
        async collect() {
          const rows = await readOnce().catch(() => [])
          this.reset()
          for (const row of rows) this.set(row.labels, row.values[name])
        },
      })
  }
}

/** Scrapers time out after a few seconds and would then lose all metrics. */
async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Reading took too long.')), readingPatience)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const readingPatience = 2_000

/** Observes a duration in seconds. */
type Observer = (seconds: number) => void

interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** Observations per bucket, each above the previous bound; the last bucket is above all bounds. */
  readonly counts: Float64Array
  sum: number
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/**
 * A histogram that is compatible with the registry. The library's own looks up its series at every observation, which takes longer than
 * some of the measured operations.
 */
function openDurations(registry: Registry, name: string, help: string) {
  const all: Series[] = []
  const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: all.flatMap(valuesOf) })
  const valuesOf = ({ labels, counts, sum }: Series) => {
    let count = 0
    const buckets = [...bounds, '+Inf'].map((le, index) => {
      count += counts[index] ?? 0
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }
  // The registry uses only these members; its types accept just the library's four classes.
  registry.registerMetric({ name, get } as unknown as Histogram)

  return {
    /** Call once per set of labels. */
    observer(labels: Readonly<Record<string, string>>): Observer {
      const series: Series = { labels, counts: new Float64Array(bounds.length + 1), sum: 0 }
      all.push(series)
      return (seconds) => {
        let index = 0
        while (index < bounds.length && seconds > (bounds[index] as number)) index++
        series.counts[index] = (series.counts[index] as number) + 1
        series.sum += seconds
      }
    },
  }
}
