import { type RawBuilder, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

/** Entities with counters, and their granularity: in total, by quarter of an hour. All are kept by day. */
const kinds = {
  account: { total: true, quarters: true },
  campaign: { total: true, quarters: true },
  message: { total: true, quarters: false },
  post: { total: true, quarters: false },
  /** A post on one profile; its id combines both. */
  'profile-post': { total: true, quarters: false },
  link: { total: true, quarters: false },
  // Entities of boards. An advocate is a user on one board; the id combines both.
  story: { total: true, quarters: false },
  share: { total: true, quarters: false },
  advocate: { total: true, quarters: true },
  board: { total: true, quarters: true },
  // Used by reports only.
  network: { total: false, quarters: true },
  profile: { total: false, quarters: true },
  country: { total: false, quarters: true },
  author: { total: false, quarters: true },
  /** Campaign, network, author and profile combined, so that reports can filter by any combination. */
  cell: { total: false, quarters: true },
} as const

export type CounterKind = keyof typeof kinds

export const hasTotal = (kind: CounterKind) => kinds[kind].total
export const hasQuarters = (kind: CounterKind) => kinds[kind].quarters
export const counterKinds = Object.keys(kinds) as CounterKind[]

/** All counters, and whether they are kept by day as well. A new counter is an entry here. */
const catalogue = {
  clicks: { daily: true },
  boardClicks: { daily: true },
  childClicks: { daily: true },
  converts: { daily: true },
  boardConverts: { daily: true },
  childConverts: { daily: true },
  comments: { daily: true },
  newComments: { daily: false },
  likes: { daily: true },
  impressions: { daily: true },
  /** Reposts of a post on its network. */
  reshares: { daily: true },
  /** Shares by advocates. */
  shares: { daily: true },
  postsSent: { daily: true },
  postsFailed: { daily: true },
  /** Inbox items received, closed and answered. */
  inboxReceived: { daily: true },
  inboxClosed: { daily: true },
  inboxReplied: { daily: true },
  /** First responses, and the sum of their response times in seconds. */
  responses: { daily: true },
  responseSeconds: { daily: true },
  leads: { daily: true },
  leadActivities: { daily: true },
  /** Messages of a campaign. */
  messages: { daily: false },
  /** Users of an account who are on boards. */
  advocates: { daily: false },
} as const

export type CounterName = keyof typeof catalogue
export type Counters = { readonly [name in CounterName]: number }

export const isDaily = (name: CounterName) => catalogue[name].daily

/** Gauges: values that are not sums. */
export type GaugeName = 'followers'

export const profilePost = (postId: string, credentialId: string) => (postId === '' ? '' : `${postId} ${credentialId}`)

export const advocateOn = (boardId: string, userId: string) => `${boardId} ${userId}`

export const noCounters = Object.fromEntries(Object.keys(catalogue).map((name) => [name, 0])) as Counters

/** The dimensions of an increment for reports. An undefined dimension has no counter of its own, an empty one counts as unassigned. */
interface Dimensions {
  campaign?: string
  network?: string
  profile?: string
  author?: string
  country?: string
}

/** Id of counters without a campaign, country and so on. */
export const unassignedKey = '-'

/** The parts of a cell id in order; the profile id comes last. */
const cellParts = ['campaign', 'network', 'author', 'profile'] as const

/** All counters of reports that an increment with these dimensions belongs to. */
export function dimensionCounters(
  accountId: string,
  dimensions: Dimensions,
): { readonly [kind in CounterKind]?: string } {
  const byPart = Object.entries(dimensions).map(([part, id]) => [part, id || unassignedKey])
  return {
    account: accountId,
    ...Object.fromEntries(byPart),
    cell: cellParts.map((part) => dimensions[part] || unassignedKey).join(' '),
  }
}

/** How counters are recomputed from their source rows: declared by the area that records the increments, listed in its manifest. */
export interface Recount {
  readonly names: readonly CounterName[]
  /** A query of all increments from a time (inclusive) to another (exclusive): `name`, `at`, `kind` and `id` of the counter, and `amount`. */
  readonly increments: (accountId: string, from: Date, to: Date) => RawBuilder<unknown>
  /** A query for the time of the first increment. */
  readonly first: (accountId: string) => RawBuilder<unknown>
}

/** A column with the counters of the entity that another column names. Zeros are left out; `withCounters` restores them. */
export const countersOf = ({ accountId }: Pick<Context, 'accountId'>, kind: CounterKind, id: string) =>
  sql<Partial<Counters>>`(select coalesce(json_object_agg(f.name, f.value), '{}') from counters f
    where f.account_id = ${accountId} and f.of_kind = ${kind} and f.of_id = ${sql.ref(id)})`.as('counters')

/** The same for posts on profiles, which are identified by two columns. */
export const countersOnProfile = ({ accountId }: Pick<Context, 'accountId'>, postId: string, credentialId: string) =>
  sql<
    Partial<Counters>
  >`(select coalesce(json_object_agg(f.name, f.value), '{}') from counters f where f.account_id = ${accountId}
    and f.of_kind = 'profile-post' and f.of_id = ${sql.ref(postId)} || ' ' || ${sql.ref(credentialId)})`.as('counters')

/** A row with all counters, as in the API. Object.assign, because spreading this many fields takes sixteen times as long. */
export const withCounters = <Row extends { counters?: Partial<Counters> | undefined }>({ counters, ...row }: Row) =>
  Object.assign({}, noCounters, counters, row)

/** A column with the time of a counter's latest increment. */
export const lastOf = ({ accountId }: Pick<Context, 'accountId'>, kind: CounterKind, id: string, name: CounterName) =>
  sql<Date | null>`(select f.last from counters f where f.account_id = ${accountId} and f.of_kind = ${kind}
    and f.of_id = ${sql.ref(id)} and f.name = ${name})`

/** Two counters as plain columns: for lists of thousands of rows, where an object for each would be too expensive. */
export const clicksOf = ({ accountId }: Pick<Context, 'accountId'>, kind: CounterKind, id: string) =>
  (['clicks', 'converts'] as const).map((name) =>
    sql<number>`coalesce((select f.value from counters f where f.account_id = ${accountId} and f.of_kind = ${kind}
      and f.of_id = ${sql.ref(id)} and f.name = ${name}), 0)`.as(name),
  )
