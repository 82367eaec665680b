import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { pagesOf } from '#kernel/pages.ts'
import { type Bucket, before, bucketsOf, type Days, daysOf, dayText, timeZoneOf } from './period.ts'
import {
  checkDefinition,
  type Dimension,
  dimensions,
  measureOf,
  type ReportRequest,
  sourceOf,
} from './report-definition.ts'
import {
  type Basis,
  basisOf,
  type Conditions,
  conditionsOf,
  gaugesOf,
  hiddenFrom,
  mostDaysOfClicks,
  restGroup,
  sumsOf,
} from './sums.ts'

/** Rows computed at a time: hourly rows of every campaign for months would exhaust the memory. */
const rowsPerPage = 1_000

/** Runs a report: rows, names of ids, and the data source. Long results are streamed. */
export async function runReport(context: Context, report: ReportRequest) {
  checkDefinition(report)
  const { source, dimension, unit, compare } = report
  const zone = await timeZoneOf(context)
  const days = daysOf(report.range, zone, context.now)
  const hidden = await hiddenFrom(context)
  const basis = basisOf(sourceOf(source), dimension, report.filters, hidden)
  if (!basis) throw invalid('These dimensions and filters are not kept together. Leave one of them out.')
  refuseLong(basis, days)
  const query = { report, basis, conditions: await conditionsOf(context, report.filters, hidden) }
  const all = compare ? [days, before(days)] : [days]
  const groups = dimension && (await groupsIn(context, query, all, zone))
  const buckets = all.map((one) => bucketsOf(one, zone, unit))
  const size = Math.floor(rowsPerPage / (groups?.shown.length || 1))
  const rowsFrom = async (from: number) => {
    const periods: Period[] = []
    for (const one of buckets) periods.push(await periodOf(context, query, one.slice(from, from + size), groups))
    return reportRows(report, groups, periods)
  }
  const count = buckets[0]?.length ?? 0
  const named = groups ? groups.shown.filter((value) => value !== restGroup) : []
  return {
    data: count <= size ? await rowsFrom(0) : pagesOf(steps(count, size), rowsFrom),
    entities: dimension
      ? { [dimension.charAt(0).toUpperCase() + dimension.slice(1)]: await namesOf(context, dimension, named) }
      : {},
    report: {
      from: dayText(days.first),
      to: dayText(days.end - 1),
      timezone: zone,
      basis: basis === 'clicks' ? ('clicks' as const) : ('rollups' as const),
    },
  }
}

function* steps(count: number, size: number): Iterable<number> {
  for (let from = 0; from < count; from += size) yield from
}

interface ReportQuery {
  report: ReportRequest
  basis: Basis
  conditions: Conditions
}

/** Values beyond the top are combined; the first measure over the whole range decides. */
async function groupsIn(context: Context, query: ReportQuery, all: readonly Days[], zone: string): Promise<Groups> {
  const { report } = query
  const { dimension = 'network' } = report
  const periods: Period[] = []
  for (const days of all) periods.push(await periodOf(context, query, bucketsOf(days, zone), undefined))
  const ids = [...new Set(periods.flatMap(({ sums }) => sums.map(({ id }) => id)))]
  const values = await valuesOf(context, dimension, ids, isGauge(report) ? 'profile' : dimensions[dimension])
  return groupsOf(report, periods[0] as Period, values)
}

/** Sums of one period: by group where known, otherwise by attribute value. */
async function periodOf(
  context: Context,
  { report, basis, conditions }: ReportQuery,
  buckets: readonly Bucket[],
  groups: Groups | undefined,
): Promise<Period> {
  const { source, measures, dimension, filters } = report
  const all = measures.map((name) => measureOf(source, name))
  const gauges = all.flatMap((measure) => ('gauge' in measure ? [measure.gauge] : []))
  if (gauges[0]) {
    const rows = await gaugesOf(context, gauges[0], buckets, filters)
    const name = gauges[0]
    const groupsOfValue = (id: string) => (groups ? (groups.of.get(id) ?? [restGroup]) : [dimension ? id : ''])
    return {
      buckets,
      sums: rows.flatMap(({ bucket, id, value }) =>
        groupsOfValue(id).map((group) => ({ bucket, id: group, name, value })),
      ),
    }
  }
  const names = [
    ...new Set(
      all.flatMap((measure) => ('sum' in measure ? [...measure.sum, ...('per' in measure ? [measure.per] : [])] : [])),
    ),
  ]
  const pairs =
    groups && [...groups.of].filter(isNamed).flatMap(([id, groupIds]) => groupIds.map((group) => [id, group] as const))
  const by = dimension && dimensions[dimension]
  return { buckets, sums: await sumsOf(context, { basis, names, buckets, conditions, by, groups: pairs }) }
}

/** Values of the last group only needn't be listed: it includes all others. */
const isNamed = ([, groupIds]: readonly [string, readonly string[]]) =>
  groupIds.length !== 1 || groupIds[0] !== restGroup

const isGauge = ({ source, measures }: ReportRequest) => measures.some((name) => 'gauge' in measureOf(source, name))

function refuseLong(basis: Basis, { first, end }: Days) {
  if (basis === 'clicks' && end - first > mostDaysOfClicks)
    throw invalid(
      `This is counted from single clicks, for at most ${mostDaysOfClicks} days. Choose a shorter range, or leave the country out.`,
    )
}

/** Dimension values of each attribute value; usually one, itself. */
async function valuesOf(
  { db, accountId }: Context,
  dimension: Dimension,
  ids: readonly string[],
  attribute: string = dimensions[dimension],
): Promise<Map<string, readonly string[]>> {
  const itself = new Map(ids.map((id) => [id, [id]]))
  if (dimension === attribute || ids.length === 0) return itself
  const pairs = {
    tag: sql`select t.entity_id as id, t.tag_id as value from entity_tags t where t.account_id = ${accountId} and t.entity_id = any (${ids})`,
    team: sql`select t.entity_id as id, t.team_id as value from team_entities t where t.account_id = ${accountId} and t.entity_id = any (${ids})`,
    network: sql`select c.id, c.network as value from credentials c where c.account_id = ${accountId} and c.id = any (${ids})`,
  }[dimension as 'tag' | 'team' | 'network']
  const { rows } = await sql<{ id: string; value: string }>`${pairs}`.execute(db)
  const found = new Map<string, string[]>()
  for (const { id, value } of rows) found.set(id, [...(found.get(id) ?? []), value])
  return new Map(ids.map((id) => [id, found.get(id) ?? ['']]))
}

export interface NamedEntity {
  Id: string
  Name: string
}

/** Names of a dimension's values; values that are names themselves have none. */
async function namesOf(
  { db, accountId }: Context,
  dimension: Dimension,
  ids: readonly string[],
): Promise<{ [id: string]: NamedEntity }> {
  const group = {
    network: undefined,
    country: undefined,
    profile: ['credentials', 'display_name'],
    campaign: ['campaigns', 'name'],
    tag: ['tags', 'tag'],
    team: ['teams', 'name'],
    author: ['users', 'name'],
    advocate: ['users', 'name'],
    board: ['boards', 'name'],
  }[dimension]
  if (!group || ids.length === 0) return {}
  const [table = '', name = ''] = group
  const { rows } = await sql<{ id: string; name: string }>`
    select e.id, e.${sql.id(name)} as name from ${sql.id(table)} e where e.account_id = ${accountId} and e.id = any (${ids})`.execute(
    db,
  )
  return Object.fromEntries(rows.map((row) => [row.id, { Id: row.id, Name: row.name }]))
}

/** Sums of one period, by bucket and by value or group of a dimension. */
interface Period {
  buckets: readonly Bucket[]
  sums: readonly { bucket: number; id: string; name: string; value: number }[]
}

/** Separate values of a dimension in order, followed by the combined others. */
interface Groups {
  shown: readonly string[]
  /** Groups of each attribute value. */
  of: ReadonlyMap<string, readonly string[]>
}

/** The top values by the first measure; ties are ordered by name. */
function groupsOf(report: ReportRequest, { sums }: Period, values: ReadonlyMap<string, readonly string[]>): Groups {
  const byValue = new Map<string, MetricSums>()
  for (const { id, name, value } of sums) for (const group of values.get(id) ?? []) add(byValue, group, name, value)
  // Values of the previous period only come last.
  for (const group of [...values.values()].flat()) if (!byValue.has(group)) byValue.set(group, new Map())
  const measured = measuring(report, 0)
  const sizes = new Map([...byValue].map(([group, metricSums]) => [group, measured(metricSums) ?? 0]))
  const size = (group: string) => sizes.get(group) ?? 0
  const sorted = [...byValue.keys()].sort((one, other) => size(other) - size(one) || (one < other ? -1 : 1))
  const top = sorted.slice(0, report.top)
  const listed = new Set(top)
  const of = new Map(
    [...values].map(([id, groupIds]) => [id, groupIds.map((group) => (listed.has(group) ? group : restGroup))]),
  )
  return { shown: sorted.length > top.length ? [...top, restGroup] : top, of }
}

type MetricSums = Map<string, number>
export type ReportRow = { [key: string]: string | number | null }

/** One row per bucket and group, without gaps, with the previous period if requested. */
function reportRows(report: ReportRequest, groups: Groups | undefined, periods: readonly Period[]): ReportRow[] {
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
  if ('gauge' in measure) return (metricSums) => metricSums.get(measure.gauge) ?? 0
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
