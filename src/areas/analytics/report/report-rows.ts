import type { Bucket } from './period.ts'
import { measureOf, type ReportRequest } from './report-definition.ts'
import { restGroup } from './sums.ts'

/** Sums of one period, by bucket and by value or group of a dimension. */
export interface Period {
  buckets: readonly Bucket[]
  sums: readonly { bucket: number; id: string; name: string; value: number }[]
}

/** Separate values of a dimension in order, followed by the combined others. */
export interface Groups {
  shown: readonly string[]
  /** Groups of each attribute value. */
  of: ReadonlyMap<string, readonly string[]>
}

/** The top values by the first measure; ties are ordered by name. */
export function groupsOf(
  report: ReportRequest,
  { sums }: Period,
  values: ReadonlyMap<string, readonly string[]>,
): Groups {
  const byValue = new Map<string, MetricSums>()
  for (const { id, name, value } of sums) for (const group of values.get(id) ?? []) add(byValue, group, name, value)
  // Values of the previous period only come last.
  for (const group of [...values.values()].flat()) if (!byValue.has(group)) byValue.set(group, new Map())
  const measured = measuring(report, 0)
  const sizes = new Map([...byValue].map(([group, metricSums]) => [group, measured(metricSums) ?? 0]))
  const size = (group: string) => sizes.get(group) ?? 0
  const sorted = [...byValue.keys()].sort((one, other) => size(other) - size(one) || (one < other ? -1 : 1))
  const top = sorted.slice(0, report.top)
  const alone = new Set(top)
  const of = new Map(
    [...values].map(([id, groupIds]) => [id, groupIds.map((group) => (alone.has(group) ? group : restGroup))]),
  )
  return { shown: sorted.length > top.length ? [...top, restGroup] : top, of }
}

type MetricSums = Map<string, number>
export type ReportRow = { [key: string]: string | number | null }

/** One row per bucket and group, without gaps, with the previous period if requested. */
export function reportRows(report: ReportRequest, groups: Groups | undefined, periods: readonly Period[]): ReportRow[] {
  const { unit, dimension, measures } = report
  const metricSums = periods.map(({ sums }) => {
    const cells = new Map<string, MetricSums>()
    for (const { bucket, id, name, value } of sums) add(cells, `${bucket} ${id}`, name, value)
    return cells
  })
  // Computed once: there may be hundreds of thousands of cells.
  const columns = measures.flatMap((measure, index) =>
    periods.map((_, age) => ({
      name: wireName(measure) + (age === 0 ? '' : 'Before'),
      age,
      value: measuring(report, index),
    })),
  )
  const attribute = dimension && wireName(dimension)
  const [current] = periods
  return (current?.buckets ?? []).flatMap(({ label }, bucket) =>
    (groups?.shown ?? ['']).map((group) => {
      const row: ReportRow = {}
      if (unit) row.Time = label
      if (attribute) row[attribute] = group
      const own = metricSums.map((cells) => cells.get(`${bucket} ${group}`) ?? nothing)
      for (const { name, age, value } of columns) row[name] = value(own[age] ?? nothing)
      return row
    }),
  )
}

const nothing: MetricSums = new Map()

const wireName = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

function add(cells: Map<string, MetricSums>, key: string, name: string, value: number) {
  const metricSums = cells.get(key) ?? new Map<string, number>()
  cells.set(key, metricSums.set(name, (metricSums.get(name) ?? 0) + value))
}

/** How a measure is computed; undefined if there is nothing to divide by. */
function measuring({ source, measures }: ReportRequest, index: number): (metricSums: MetricSums) => number | null {
  const measure = measureOf(source, measures[index] as string)
  if ('level' in measure) return (metricSums) => metricSums.get(measure.level) ?? 0
  const sum = (metricSums: MetricSums) => {
    let total = 0
    for (const name of measure.sum) total += metricSums.get(name) ?? 0
    return total
  }
  if (!('per' in measure)) return sum
  return (metricSums) => {
    const divisor = metricSums.get(measure.per) ?? 0
    return divisor === 0 ? null : Math.round((sum(metricSums) / divisor) * (measure.times ?? 1) * 10_000) / 10_000
  }
}
