import type { CounterKind, CounterName, GaugeName } from '#areas/counters/counter.ts'
import { invalid } from '#kernel/errors.ts'
import type { Range, Unit } from './period.ts'

/** Attributes of increments in the rollups. Tags and teams are the campaign's current ones. */
export type Attribute = 'network' | 'profile' | 'campaign' | 'author' | 'country' | 'board' | 'advocate'

/** Dimensions for grouping and filtering, with their attribute. */
export const dimensions = {
  network: 'network',
  profile: 'profile',
  campaign: 'campaign',
  tag: 'campaign',
  team: 'campaign',
  author: 'author',
  country: 'country',
  board: 'board',
  advocate: 'advocate',
} as const satisfies Record<string, Attribute>

export type Dimension = keyof typeof dimensions
export const dimensionNames = Object.keys(dimensions) as Dimension[]

/** Metric kinds used by reports with the attributes in their names, cheapest first. */
export const series: readonly { readonly kind: CounterKind; readonly parts: readonly Attribute[] }[] = [
  { kind: 'account', parts: [] },
  { kind: 'network', parts: ['network'] },
  { kind: 'author', parts: ['author'] },
  { kind: 'profile', parts: ['profile'] },
  { kind: 'campaign', parts: ['campaign'] },
  { kind: 'country', parts: ['country'] },
  { kind: 'board', parts: ['board'] },
  { kind: 'advocate', parts: ['board', 'advocate'] },
  { kind: 'cell', parts: ['campaign', 'network', 'author', 'profile'] },
]

/** How a measure is computed: a sum, a ratio, or a gauge. */
type Measure = { readonly about: string } & (
  | { readonly sum: readonly CounterName[] }
  | { readonly sum: readonly CounterName[]; readonly per: CounterName; readonly times?: number }
  | { readonly gauge: GaugeName }
)

export interface Source {
  readonly about: string
  readonly attributes: readonly Attribute[]
  /** Whether it can be computed from single clicks if no rollup has the answer. */
  readonly raw?: true
  readonly measures: { readonly [name: string]: Measure }
}

const posted = ['network', 'profile', 'campaign', 'author'] as const

/** All measures: source, aggregation and metrics. */
const sources = {
  post: {
    about: 'Posts on profiles, and what the networks tell of them',
    attributes: posted,
    measures: {
      postsSent: { about: 'Posts that went out', sum: ['postsSent'] },
      postsFailed: { about: 'Posts that a profile did not get', sum: ['postsFailed'] },
      impressions: { about: 'How often posts were shown', sum: ['impressions'] },
      likes: { about: 'Likes', sum: ['likes'] },
      comments: { about: 'Comments', sum: ['comments'] },
      reshares: { about: 'How often others passed posts on', sum: ['reshares'] },
      engagements: { about: 'Likes, comments, reshares and clicks', sum: ['likes', 'comments', 'reshares', 'clicks'] },
      engagementRate: {
        about: 'Engagements per hundred impressions',
        sum: ['likes', 'comments', 'reshares', 'clicks'],
        per: 'impressions',
        times: 100,
      },
    },
  },
  click: {
    about: 'Clicks of people on short links',
    attributes: [...posted, 'country'],
    raw: true,
    measures: {
      clicks: { about: 'Clicks', sum: ['clicks'] },
      boardClicks: { about: 'Clicks on what advocates shared', sum: ['boardClicks'] },
    },
  },
  conversion: {
    about: 'What people did after they clicked',
    attributes: [...posted, 'country'],
    raw: true,
    measures: {
      conversions: { about: 'Conversions', sum: ['converts'] },
      conversionRate: { about: 'Conversions per hundred clicks', sum: ['converts'], per: 'clicks', times: 100 },
    },
  },
  follower: {
    about: 'Followers of profiles at the end of each period',
    attributes: ['network', 'profile'],
    measures: { followers: { about: 'Followers', gauge: 'followers' } },
  },
  advocacy: {
    about: 'What advocates share, and what follows from it',
    attributes: [...posted, 'board', 'advocate'],
    measures: {
      shares: { about: 'Shares that went out', sum: ['shares'] },
      shareClicks: { about: 'Clicks on what was shared', sum: ['boardClicks'] },
      shareConversions: { about: 'Conversions after such clicks', sum: ['boardConverts'] },
    },
  },
  inbox: {
    about: 'What arrives in the inbox, and how it is answered',
    attributes: ['network', 'profile', 'author'],
    measures: {
      received: { about: 'What arrived', sum: ['inboxReceived'] },
      closed: { about: 'What was closed', sum: ['inboxClosed'] },
      replied: { about: 'Answers', sum: ['inboxReplied'] },
      responseTime: { about: 'Seconds until the first answer', sum: ['responseSeconds'], per: 'responses' },
    },
  },
  lead: {
    about: 'People who became known, and what they did',
    attributes: ['network', 'campaign'],
    measures: {
      leads: { about: 'New leads', sum: ['leads'] },
      activities: { about: 'What leads did', sum: ['leadActivities'] },
    },
  },
} as const satisfies Record<string, Source>

export type SourceName = keyof typeof sources
export const sourceNames = Object.keys(sources) as SourceName[]
export const sourceOf = (name: SourceName): Source => sources[name]

/** Allowed values per dimension; missing dimensions aren't filtered. */
export type Filters = { readonly [dimension in Dimension]?: readonly string[] }

/** Report definition, as stored with a widget. */
export interface ReportDefinition {
  source: SourceName
  measures: readonly string[]
  /** Groups by time in these units, in the reader's time zone. */
  unit?: Unit | undefined
  /** Groups by a dimension, also combined with time. */
  dimension?: Dimension | undefined
  filters: Filters
  /** Includes the same number of days before. */
  compare: boolean
  /** Number of separate values of the dimension; the others are combined. */
  top: number
}

/** A definition with a date range. */
export interface ReportRequest extends ReportDefinition {
  range: Range
}

export const mostMeasures = 8

/** Rejects combinations the source doesn't support. */
export function checkDefinition({ source, measures, dimension, filters }: ReportDefinition) {
  const { measures: known, attributes } = sourceOf(source)
  if (measures.length === 0) throw invalid('measures must name at least one measure.')
  const unknown = measures.find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined)
    throw invalid(
      `measures names "${unknown.slice(0, 40)}"; the source ${source} has ${Object.keys(known).join(', ')}.`,
    )
  const request = [...(dimension ? [dimension] : []), ...(Object.keys(filters) as Dimension[])]
  const absent = request.find((name) => !attributes.includes(dimensions[name]))
  if (absent) throw invalid(`The source ${source} knows no ${absent}.`)
}

export const measureOf = (source: SourceName, name: string): Measure => sourceOf(source).measures[name] as Measure
