import { type RawBuilder, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { type CounterName, type GaugeName, unassignedKey } from '#areas/counters/counter.ts'
import type { Context } from '#kernel/context.ts'
import { type Bucket, type Segment, segmentsOf } from './period.ts'
import { type Attribute, type Dimension, dimensions, type Filters, type Source, series } from './report-definition.ts'

/** Data source of a report: a rollup by metric kind, or single clicks. */
export type Basis = { readonly kind: (typeof series)[number]['kind']; readonly parts: readonly Attribute[] } | 'clicks'

/** Query of a report. */
interface SumQuery {
  basis: Basis
  names: readonly CounterName[]
  buckets: readonly Bucket[]
  conditions: Conditions
  /** Groups by this attribute. */
  by?: Attribute | undefined
  /** Maps values to groups: any number each, and the last group for all others. */
  groups?: readonly (readonly [id: string, group: string])[] | undefined
}

/**
 * The cheapest rollup that supports a report; single clicks if none does and they can; undefined otherwise. Visibility is checked by
 * campaign, or by board where a rollup has boards.
 */
export function basisOf(
  source: Source,
  dimension: Dimension | undefined,
  filters: Filters,
  hidden: { campaigns: readonly string[] },
): Basis | undefined {
  const request = new Set<Attribute>(
    [...(dimension ? [dimension] : []), ...(Object.keys(filters) as Dimension[])].map((name) => dimensions[name]),
  )
  const knows = (attribute: Attribute) => source.attributes.includes(attribute)
  if (![...request].every(knows)) return undefined
  const isWithin = (parts: readonly Attribute[]) => {
    const isOfBoards = parts.includes('board')
    const needsCampaign = hidden.campaigns.length > 0 && knows('campaign') && !isOfBoards
    const needed = needsCampaign ? new Set<Attribute>([...request, 'campaign']) : request
    return [...needed].every((attribute) => parts.includes(attribute)) && parts.every((part) => isKept(source, part))
  }
  const found = series.find(({ parts }) => isWithin(parts))
  return found ?? (source.raw ? 'clicks' : undefined)
}

/** A rollup cell exists for everything with a network. */
const isKept = (source: Source, part: Attribute) =>
  source.attributes.includes(part) || !['board', 'advocate', 'country'].includes(part)

/** A sum in one bucket, for one value or group. */
interface Sum {
  bucket: number
  id: string
  name: CounterName
  value: number
}

/** Reads sums from the rollups or from single clicks. */
export async function sumsOf(context: Context, query: SumQuery): Promise<Sum[]> {
  const { basis, buckets } = query
  if (basis === 'clicks') {
    const whole = buckets.map(({ start, end }, bucket): Segment => ({ bucket, start, end, sign: 1 }))
    return read(context, query, whole, (segments) => clicksOf(context, query, segments))
  }
  const { days, quarters } = segmentsOf(buckets)
  const ofDays = await read(context, query, days, (segments) => countersIn(context, query, basis, 'day', segments))
  const ofQuarters = await read(context, query, quarters, (segments) =>
    countersIn(context, query, basis, 'quarter', segments),
  )
  return [...ofDays, ...ofQuarters]
}

/** Segments as a table to join. */
function segmentTable(segments: readonly Segment[]): RawBuilder<unknown> {
  const column = (read: (segment: Segment) => unknown) => segments.map(read)
  const timestamp = (at: number) => new Date(at).toISOString()
  return sql`unnest(${column(({ bucket }) => bucket)}::int[], ${column(({ start }) => timestamp(start))}::timestamptz[],
    ${column(({ end }) => timestamp(end))}::timestamptz[], ${column(({ sign }) => sign)}::int[]) as s (bucket, start, until, sign)`
}

/** Sums over segments: the query returns `bucket`, `name`, `value` and the attributes as columns. */
async function read(
  { db }: Context,
  { by, groups, names }: SumQuery,
  segments: readonly Segment[],
  increments: (segments: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<Sum[]> {
  if (segments.length === 0 || names.length === 0) return []
  const value = by ? sql`f.${sql.id(by)}` : sql`''`
  const grouping = groups
    ? sql`left join unnest(${groups.map(([id]) => id || unassignedKey)}::text[], ${groups.map(([, group]) => group)}::text[]) as g (id, "group") on g.id = ${value}`
    : sql``
  const { rows } = await sql<Sum>`
    select f.bucket, ${groups ? sql`coalesce(g."group", ${restGroup})` : value} as id, f.name, sum(f.value)::bigint as value
    from (${increments(segmentTable(segments))}) f ${grouping} group by 1, 2, 3`.execute(db)
  return rows.map((row) => ({ ...row, id: row.id === unassignedKey ? '' : row.id }))
}

/** Group of all values without one. No id has this form. */
export const restGroup = 'other'

function countersIn(
  { accountId }: Context,
  { names, by, conditions }: SumQuery,
  { kind, parts }: Exclude<Basis, 'clicks'>,
  time: 'day' | 'quarter',
  segments: RawBuilder<unknown>,
) {
  const part = (attribute: Attribute) =>
    parts.length === 1 ? sql`f.of_id` : sql`split_part(f.of_id, ' ', ${parts.indexOf(attribute) + 1}::int)`
  const table = time === 'day' ? sql`daily_rollups` : sql`quarter_hour_rollups`
  const timestamp = time === 'day' ? sql`(s.start at time zone 'UTC')::date` : sql`s.start`
  const until = time === 'day' ? sql`(s.until at time zone 'UTC')::date` : sql`s.until`
  // Per segment, from an index range: in a plain join the planner would read the whole table.
  return sql`select s.bucket, f.name, s.sign * f.value as value ${by ? sql`, f.${sql.id(by)}` : sql``}
    from ${segments} cross join lateral (
      select f.name, sum(f.value) as value ${by ? sql`, ${part(by)} as ${sql.id(by)}` : sql``} from ${table} f
      where f.account_id = ${accountId} and f.of_kind = ${kind} and f.name = any (${names})
        and f.${sql.id(time)} >= ${timestamp} and f.${sql.id(time)} < ${until}
        and ${conditions.where((attribute) => (parts.includes(attribute) ? part(attribute) : undefined))}
      group by 1 ${by ? sql`, 3` : sql``}) f`
}

/** Maximum range for reports from single clicks. */
export const mostDaysOfClicks = 92

/** Column of each click attribute. */
const columns: { readonly [attribute in Exclude<Attribute, 'board' | 'advocate'>]: RawBuilder<string> } = {
  network: sql`coalesce(nullif(c.network, ''), '-')`,
  profile: sql`coalesce(nullif(c.credential_id, ''), '-')`,
  campaign: sql`coalesce(nullif(c.campaign_id, ''), '-')`,
  country: sql`coalesce(nullif(c.country, ''), '-')`,
  author: sql`coalesce(nullif(coalesce(p.created_by, split_part(l.counts_for->>'advocate', ' ', 2)), ''), '-')`,
}

/** The same from clicks and conversions. */
function clicksOf(
  { accountId }: Context,
  { names, by, conditions }: SumQuery,
  segments: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const column = (attribute: Attribute) => columns[attribute as keyof typeof columns]
  const increments = (name: CounterName, timestamp: RawBuilder<unknown>, tables: RawBuilder<unknown>) => {
    const isBoard = name.startsWith('board') ? sql`coalesce(l.share_id, '') <> ''` : sql`true`
    return sql`select s.bucket, ${name} as name, 1 as value ${by ? sql`, ${column(by)} as ${sql.id(by)}` : sql``}
      from ${segments} join ${tables}
      left join links l on l.account_id = ${accountId} and l.id = c.link_id
      left join posts p on p.account_id = ${accountId} and p.id = c.post_id
      where c.class = 'human' and ${timestamp} >= s.start and ${timestamp} < s.until and ${isBoard} and ${conditions.where(column)}`
  }
  const clicks = sql`clicks c on c.account_id = ${accountId}`
  const conversions = sql`conversions v on v.account_id = ${accountId}
    join clicks c on c.account_id = ${accountId} and c.id = v.click_id`
  return sql.join(
    names.map((name) =>
      name.toLowerCase().endsWith('converts')
        ? increments(name, sql`v.created`, conversions)
        : increments(name, sql`c.created`, clicks),
    ),
    sql` union all `,
  )
}

/** Gauge of one profile at the end of a bucket. */
interface GaugeSum {
  bucket: number
  id: string
  value: number
}

/** Last known gauge of each profile at the end of each bucket. */
export async function gaugesOf(
  { db, accountId }: Context,
  name: GaugeName,
  buckets: readonly Bucket[],
  filters: Filters,
): Promise<GaugeSum[]> {
  const [first] = buckets
  if (!first) return []
  const ends = buckets.map(({ end }) => new Date(end).toISOString())
  const begin = new Date(first.start).toISOString()
  const requested = sql`select c.id from credentials c where c.account_id = ${accountId}
    and ${filters.profile ? sql`c.id = any (${filters.profile})` : sql`true`}
    and ${filters.network ? sql`c.network = any (${filters.network})` : sql`true`}`
  const { rows: known } = await sql<GaugeSum>`
    select -1 as bucket, p.id, l.value from (${requested}) p
    join lateral (select v.value from gauges v where v.account_id = ${accountId} and v.of_kind = 'profile' and v.of_id = p.id
      and v.name = ${name} and v.quarter < ${begin}::timestamptz order by v.quarter desc limit 1) l on true`.execute(db)
  const { rows: later } = await sql<GaugeSum>`
    select distinct on (2, 1) width_bucket(v.quarter, ${ends}::timestamptz[]) as bucket, v.of_id as id, v.value from gauges v
    where v.account_id = ${accountId} and v.of_kind = 'profile' and v.name = ${name} and v.of_id = any (array(${requested}))
      and v.quarter >= ${begin}::timestamptz and v.quarter < ${ends.at(-1)}::timestamptz
    order by 2, 1, v.quarter desc`.execute(db)
  return carryForward([...known, ...later], buckets.length)
}

function carryForward(rows: readonly GaugeSum[], buckets: number): GaugeSum[] {
  const byProfile = new Map<string, Map<number, number>>()
  for (const { id, bucket, value } of rows)
    byProfile.set(id, (byProfile.get(id) ?? new Map<number, number>()).set(bucket, value))
  return [...byProfile].flatMap(([id, values]) => {
    let last = values.get(-1)
    const result: GaugeSum[] = []
    for (let bucket = 0; bucket < buckets; bucket++) {
      last = values.get(bucket) ?? last
      if (last !== undefined) result.push({ bucket, id, value: last })
    }
    return result
  })
}

/** Entities hidden from the caller. Deleted ones are still counted for users who could see them. */
interface Hidden {
  campaigns: readonly string[]
  boards: readonly string[]
}

export async function hiddenFrom(context: Context): Promise<Hidden> {
  if (context.role === 'admin') return { campaigns: [], boards: [] }
  const { db, accountId } = context
  const { rows } = await sql<{ kind: keyof Hidden; id: string }>`
    select 'campaigns' as kind, c.id from campaigns c where c.account_id = ${accountId} and not ${withinTeams(context, 'c.id')}
    union all select 'boards', b.id from boards b where b.account_id = ${accountId} and not ${withinTeams(context, 'b.id')}`.execute(
    db,
  )
  const of = (kind: keyof Hidden) => rows.filter((row) => row.kind === kind).map(({ id }) => id)
  return { campaigns: of('campaigns'), boards: of('boards') }
}

/** Conditions on increments, independent of their source. */
export interface Conditions {
  /** SQL condition; the source maps attributes to columns, or doesn't have them. */
  where(column: (attribute: Attribute) => RawBuilder<unknown> | undefined): RawBuilder<unknown>
}

/** Filters and visibility. Tags and teams are the campaigns' current ones. */
export async function conditionsOf(context: Context, filters: Filters, hidden: Hidden): Promise<Conditions> {
  const { tag, team, campaign, ...plain } = filters
  const campaigns = await filteredCampaigns(context, { tag, team, campaign })
  const allowed: { [attribute in Attribute]?: readonly string[] | undefined } = { ...plain, campaign: campaigns }
  const refused: { [attribute in Attribute]?: readonly string[] } = { campaign: hidden.campaigns, board: hidden.boards }
  return {
    where(column) {
      const conditions = (Object.keys(allowed) as Attribute[]).flatMap((attribute) => {
        const values = allowed[attribute]
        return values ? [sql`${column(attribute)} = any (${values.map((value) => value || unassignedKey)})`] : []
      })
      for (const attribute of Object.keys(refused) as Attribute[]) {
        const [values = [], known] = [refused[attribute], column(attribute)]
        if (values.length > 0 && known) conditions.push(sql`${known} <> all (${values})`)
      }
      return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`
    },
  }
}

type CampaignFilters = { [dimension in 'tag' | 'team' | 'campaign']: readonly string[] | undefined }

/** Campaigns allowed by all of these; undefined if none is given. */
async function filteredCampaigns({ db, accountId }: Context, { tag, team, campaign }: CampaignFilters) {
  if (!tag && !team) return campaign
  const having = (table: 'entity_tags' | 'team_entities', column: 'tag_id' | 'team_id', ids: readonly string[]) => {
    const has = sql`select from ${sql.id(table)} t where t.account_id = ${accountId} and t.entity_id = c.id`
    const named = sql`exists (${has} and t.${sql.id(column)} = any (${ids}))`
    return ids.includes('') ? sql`(${named} or not exists (${has}))` : named
  }
  const { rows } = await sql<{ id: string }>`
    select c.id from campaigns c where c.account_id = ${accountId}
      and ${campaign ? sql`c.id = any (${campaign})` : sql`true`}
      and ${tag ? having('entity_tags', 'tag_id', tag) : sql`true`}
      and ${team ? having('team_entities', 'team_id', team) : sql`true`}`.execute(db)
  return rows.map(({ id }) => id)
}
