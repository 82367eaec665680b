import type { Histogram, Registry } from 'prom-client'

/** Observes how long something took, in seconds. */
export type Observer = (seconds: number) => void

interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** How many took no longer than each bound and longer than the one before; the last: longer than all. */
  readonly counts: Float64Array
  sum: number
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/**
 * A histogram that a registry shows like its own. The library's finds its series anew for every observation, which takes longer than
 * some of what is measured here.
 */
export function openDurations(registry: Registry, name: string, help: string) {
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
  // The registry asks nothing else of a metric; its types know the library's four alone.
  registry.registerMetric({ name, get } as unknown as Histogram)

  return {
    /** For each set of labels once. */
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
