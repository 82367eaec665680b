import { type RawBuilder, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

/** What figures are kept of, and how: in all, by quarter of an hour as well. All of them are kept by day. */
const kinds = {
  account: { total: true, quarters: true },
  campaign: { total: true, quarters: true },
  message: { total: true, quarters: false },
  post: { total: true, quarters: false },
  /** A post on one profile is named by both. */
  'profile-post': { total: true, quarters: false },
  link: { total: true, quarters: false },
  // What belongs to boards. An advocate is somebody on one board, and is named by both.
  story: { total: true, quarters: false },
  share: { total: true, quarters: false },
  advocate: { total: true, quarters: true },
  board: { total: true, quarters: true },
  // What only reports ask for.
  network: { total: false, quarters: true },
  profile: { total: false, quarters: true },
  country: { total: false, quarters: true },
  author: { total: false, quarters: true },
  /** Campaign, network, author and profile together: what answers for any of them with any other. */
  cell: { total: false, quarters: true },
} as const

export type FigureOf = keyof typeof kinds

export const hasTotal = (kind: FigureOf) => kinds[kind].total
export const hasQuarters = (kind: FigureOf) => kinds[kind].quarters
export const figureKinds = Object.keys(kinds) as FigureOf[]

/** Every number that follows from facts, and whether it is kept by day as well. A new one is a line here. */
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
  /** How often others passed on what was posted, at the network. */
  reshares: { daily: true },
  /** How often advocates shared something. */
  shares: { daily: true },
  postsSent: { daily: true },
  postsFailed: { daily: true },
  /** What arrived in the inbox, what was closed there and what was answered. */
  inboxReceived: { daily: true },
  inboxClosed: { daily: true },
  inboxReplied: { daily: true },
  /** First answers, and how many seconds all of them took together. */
  responses: { daily: true },
  responseSeconds: { daily: true },
  leads: { daily: true },
  leadActivities: { daily: true },
  /** How many messages a campaign has. */
  messages: { daily: false },
  /** How many people of an account are on boards. */
  advocates: { daily: false },
} as const

export type FigureName = keyof typeof catalogue
export type Figures = { readonly [name in FigureName]: number }

export const isDaily = (name: FigureName) => catalogue[name].daily

/** What stands somewhere and is no sum. */
export type LevelName = 'followers'

export const profilePost = (postId: string, credentialId: string) => (postId === '' ? '' : `${postId} ${credentialId}`)

export const advocateOn = (boardId: string, userId: string) => `${boardId} ${userId}`

/** Where nothing happened yet. */
export const noFigures = Object.fromEntries(Object.keys(catalogue).map((name) => [name, 0])) as Figures

/** Where something happened, as reports ask for it; what is not said is not asked for, what is empty is nobody's. */
interface Place {
  campaign?: string
  network?: string
  profile?: string
  author?: string
  country?: string
}

/** How figures call what has no campaign, no country and so on. */
export const nobodys = '-'

/** The parts of a cell's name, in their order; a profile's own name comes last. */
const cellParts = ['campaign', 'network', 'author', 'profile'] as const

/** Everything a fact counts for in reports that happened there. */
export function placed(accountId: string, place: Place): { readonly [kind in FigureOf]?: string } {
  const named = Object.entries(place).map(([part, id]) => [part, id || nobodys])
  return {
    account: accountId,
    ...Object.fromEntries(named),
    cell: cellParts.map((part) => place[part] || nobodys).join(' '),
  }
}

/** How figures are told from what they follow from: declared by the area that hands in the facts, listed in `main/recounts.ts`. */
export interface Recount {
  readonly names: readonly FigureName[]
  /** A query of every fact from a moment until before another: `name`, `at`, `kind` and `id` of what it counts for, and `amount`. */
  readonly facts: (accountId: string, from: Date, to: Date) => RawBuilder<unknown>
  /** A query for the moment of the first fact. */
  readonly first: (accountId: string) => RawBuilder<unknown>
}

/** A column with the figures of what another column names. Those that are nothing are left out: `withFigures` puts them back. */
export const figuresOf = ({ accountId }: Pick<Context, 'accountId'>, kind: FigureOf, id: string) =>
  sql<Partial<Figures>>`(select coalesce(json_object_agg(f.name, f.value), '{}') from figures f
    where f.account_id = ${accountId} and f.of_kind = ${kind} and f.of_id = ${sql.ref(id)})`.as('figures')

/** The same for posts on profiles, which two columns name. */
export const figuresOnProfile = ({ accountId }: Pick<Context, 'accountId'>, postId: string, credentialId: string) =>
  sql<
    Partial<Figures>
  >`(select coalesce(json_object_agg(f.name, f.value), '{}') from figures f where f.account_id = ${accountId}
    and f.of_kind = 'profile-post' and f.of_id = ${sql.ref(postId)} || ' ' || ${sql.ref(credentialId)})`.as('figures')

/** A row with every figure in it, as the wire shows them. By assign: spreading this many fields takes sixteen times as long. */
export const withFigures = <Row extends { figures?: Partial<Figures> | undefined }>({ figures, ...row }: Row) =>
  Object.assign({}, noFigures, figures, row)

/** When the latest fact of a figure happened, as a column. */
export const lastOf = ({ accountId }: Pick<Context, 'accountId'>, kind: FigureOf, id: string, name: FigureName) =>
  sql<Date | null>`(select f.last from figures f where f.account_id = ${accountId} and f.of_kind = ${kind}
    and f.of_id = ${sql.ref(id)} and f.name = ${name})`

/** Two of the figures as columns of their own: for lists of thousands, where an object for each would be too much. */
export const clicksOf = ({ accountId }: Pick<Context, 'accountId'>, kind: FigureOf, id: string) =>
  (['clicks', 'converts'] as const).map((name) =>
    sql<number>`coalesce((select f.value from figures f where f.account_id = ${accountId} and f.of_kind = ${kind}
      and f.of_id = ${sql.ref(id)} and f.name = ${name}), 0)`.as(name),
  )
