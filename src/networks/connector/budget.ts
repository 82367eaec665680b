/** What calls are made for. Reading waits when a budget is short; publishing and replies never do. */
export const purposes = ['publish', 'reply', 'inbox', 'streams', 'metrics', 'setup'] as const
export type Purpose = (typeof purposes)[number]

/**
 * The part of a budget that each kind of reading may fill, counted over everything that was used: the inbox can still be read when metrics
 * have to wait, and a fifth is always left to publishing and replies.
 */
export const readingShares: { readonly [purpose in Purpose]?: number } = { inbox: 0.8, streams: 0.7, metrics: 0.6 }

export type BudgetWindow = 'minute' | 'quarterHour' | 'hour' | 'day' | 'pacificDay' | 'month'

/** A limit or a bill of a network, as its documentation says. */
export interface Budget {
  name: string
  /** Who shares it: all profiles of the app, or each profile alone. */
  per: 'app' | 'profile'
  unit: 'calls' | 'units' | 'posts' | 'micro-dollars'
  window: BudgetWindow
  /** Nothing where the network publishes none: then only a setting, or what the network tells, limits it. */
  limit?: number
  /** The app's option that replaces the limit: in units, or in dollars for a bill. */
  option?: string
  /** The limit that goes with a word of one of the app's options. */
  limitBy?: { option: string; words: { readonly [word: string]: number } }
  /** Page of the documentation, and when it was read. */
  source: string
}

/** How much of each budget a call takes. */
export type Uses = { readonly [budget: string]: number }

/** How often a network is asked at most. */
export interface Pace {
  /** Seconds from one question about a profile to the next. */
  every: number
  /** The same for a profile of which the network tells by pushes: asking is the safety net then. */
  withPush?: number
  /** The budget that all profiles of the app draw on, what one question takes, and the part of it that these questions may take. */
  draws?: { budget: string; uses: number; share: number }
}

/** Accounts for the calls of one network that are made for one purpose. */
export interface Meter {
  /** Throws a fault that says until when, where reading has to wait. */
  admit(call: { holder: string; endpoint: string; uses: Uses }): void
  spent(holder: string, uses: Uses): void
}

/** When the window around a moment began and ends. */
export function windowAt(window: BudgetWindow, at: Date): { start: Date; end: Date } {
  if (window === 'month') {
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
    return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) }
  }
  if (window === 'pacificDay') return { start: pacificMidnight(at, 0), end: pacificMidnight(at, 1) }
  const length = windowMs[window]
  const start = Math.floor(at.getTime() / length) * length
  return { start: new Date(start), end: new Date(start + length) }
}

const minute = 60_000
const day = 24 * 60 * minute
const windowMs = { minute, quarterHour: 15 * minute, hour: 60 * minute, day, pacificDay: day, month: 30 * day } as const

/** Milliseconds to wait between two questions about a profile, so that all that share a budget get along with it. */
export function intervalOf(
  pace: Pace,
  budgets: readonly Budget[],
  { profiles, pushes, limitOf }: { profiles: number; pushes: boolean; limitOf(budget: Budget): number | undefined },
): number {
  const every = (pushes ? (pace.withPush ?? pace.every) : pace.every) * 1000
  const budget = budgets.find(({ name }) => name === pace.draws?.budget)
  const limit = budget && limitOf(budget)
  if (!pace.draws || !budget || limit === undefined) return every
  const sharing = budget.per === 'app' ? Math.max(1, profiles) : 1
  const spacing = (windowMs[budget.window] * pace.draws.uses * sharing) / Math.max(1, limit * pace.draws.share)
  return Math.max(every, Math.ceil(spacing))
}

/** Midnight in California at the start of a day, so many days on; clocks are changed there at two, so that midnight exists once. */
function pacificMidnight(at: Date, days: number): Date {
  const { year, month, day: date } = pacific(at)
  const [summer, winter] = [7, 8].map((hours) => new Date(Date.UTC(year, month - 1, date + days, hours))) as [
    Date,
    Date,
  ]
  return pacific(summer).hour === 0 ? summer : winter
}

function pacific(at: Date): { year: number; month: number; day: number; hour: number } {
  const parts = inCalifornia.formatToParts(at)
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return { year: value('year'), month: value('month'), day: value('day'), hour: value('hour') }
}

const inCalifornia = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
})
