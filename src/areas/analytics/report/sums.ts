import { type RawBuilder, sql } from 'kysely'
import { type FigureName, nobodys } from '#areas/figures/figure.ts'
import type { Context } from '#kernel/context.ts'
import type { Attribute } from './catalogue.ts'
import { clicksOf } from './click-sums.ts'
import { type Segment, segmentsOf } from './period.ts'
import type { Basis, Question } from './plan.ts'

/** What some figures come to in one bucket, of one value of an attribute or of one group of them. */
export interface Sum {
  bucket: number
  id: string
  name: FigureName
  value: number
}

/** Reads what a report needs, from the rollups or from single clicks. */
export async function sumsOf(context: Context, question: Question): Promise<Sum[]> {
  const { basis, buckets } = question
  if (basis === 'clicks') {
    const whole = buckets.map(({ start, end }, bucket): Segment => ({ bucket, start, end, sign: 1 }))
    return read(context, question, whole, (segments) => clicksOf(context, question, segments))
  }
  const { days, quarters } = segmentsOf(buckets)
  const ofDays = await read(context, question, days, (segments) => figuresIn(context, question, basis, 'day', segments))
  const ofQuarters = await read(context, question, quarters, (segments) =>
    figuresIn(context, question, basis, 'quarter', segments),
  )
  return [...ofDays, ...ofQuarters]
}

/** A table of segments, for a query to join. */
function segmentTable(segments: readonly Segment[]): RawBuilder<unknown> {
  const column = (read: (segment: Segment) => unknown) => segments.map(read)
  const moment = (at: number) => new Date(at).toISOString()
  return sql`unnest(${column(({ bucket }) => bucket)}::int[], ${column(({ start }) => moment(start))}::timestamptz[],
    ${column(({ end }) => moment(end))}::timestamptz[], ${column(({ sign }) => sign)}::int[]) as s (bucket, start, until, sign)`
}

/** Facts of segments, summed: the query gives `bucket`, `name`, `value` and the attributes as columns. */
async function read(
  { db }: Context,
  { by, groups, names }: Question,
  segments: readonly Segment[],
  facts: (segments: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<Sum[]> {
  if (segments.length === 0 || names.length === 0) return []
  const value = by ? sql`f.${sql.id(by)}` : sql`''`
  const grouping = groups
    ? sql`left join unnest(${groups.map(([id]) => id || nobodys)}::text[], ${groups.map(([, group]) => group)}::text[]) as g (id, "group") on g.id = ${value}`
    : sql``
  const { rows } = await sql<Sum>`
    select f.bucket, ${groups ? sql`coalesce(g."group", ${restGroup})` : value} as id, f.name, sum(f.value)::bigint as value
    from (${facts(segmentTable(segments))}) f ${grouping} group by 1, 2, 3`.execute(db)
  return rows.map((row) => ({ ...row, id: row.id === nobodys ? '' : row.id }))
}

/** The group of all values that stand in none. No id looks like that. */
export const restGroup = 'other'

function figuresIn(
  { accountId }: Context,
  { names, by, conditions }: Question,
  { kind, parts }: Exclude<Basis, 'clicks'>,
  time: 'day' | 'quarter',
  segments: RawBuilder<unknown>,
) {
  const part = (attribute: Attribute) =>
    parts.length === 1 ? sql`f.of_id` : sql`split_part(f.of_id, ' ', ${parts.indexOf(attribute) + 1}::int)`
  const table = time === 'day' ? sql`daily_figures` : sql`quarter_figures`
  const moment = time === 'day' ? sql`(s.start at time zone 'UTC')::date` : sql`s.start`
  const until = time === 'day' ? sql`(s.until at time zone 'UTC')::date` : sql`s.until`
  // Summed for each segment by itself, from a stretch of the index: joined as a whole, the planner reads the whole table.
  return sql`select s.bucket, f.name, s.sign * f.value as value ${by ? sql`, f.${sql.id(by)}` : sql``}
    from ${segments} cross join lateral (
      select f.name, sum(f.value) as value ${by ? sql`, ${part(by)} as ${sql.id(by)}` : sql``} from ${table} f
      where f.account_id = ${accountId} and f.of_kind = ${kind} and f.name = any (${names})
        and f.${sql.id(time)} >= ${moment} and f.${sql.id(time)} < ${until}
        and ${conditions.where((attribute) => (parts.includes(attribute) ? part(attribute) : undefined))}
      group by 1 ${by ? sql`, 3` : sql``}) f`
}
