/** Purpose of a request. Reads wait when a budget runs low; publishing and replies never do. */
export const purposes = ['publish', 'reply', 'inbox', 'streams', 'metrics', 'setup'] as const
export type Purpose = (typeof purposes)[number]

/**
 * Share of a budget that each kind of read may use up, counted over all usage: the inbox can still be read when metrics have to wait,
 * and a fifth is always reserved for publishing and replies.
 */
export const readingShares: { readonly [purpose in Purpose]?: number } = { inbox: 0.8, streams: 0.7, metrics: 0.6 }

export type BudgetWindow = 'minute' | 'quarterHour' | 'hour' | 'day' | 'pacificDay' | 'month'

/** A documented rate limit or price of a network. */
export interface Budget {
  name: string
  /** Shared by all profiles of the app, or separate per profile. */
  per: 'app' | 'profile'
  unit: 'calls' | 'units' | 'posts' | 'micro-dollars'
  window: BudgetWindow
  /** Undefined where the network publishes none; then only a setting or the response headers limit it. */
  limit?: number
  /** The app option that overrides the limit: in units, or in dollars for costs. */
  option?: string
  /** Limits by value of one of the app's options. */
  limitBy?: { option: string; values: { readonly [word: string]: number } }
  /** Documentation page and the date it was read. */
  source: string
}

/** Units of each budget that a request uses. */
export type Uses = { readonly [budget: string]: number }

/** Minimum polling intervals of a network. */
export interface PollingInterval {
  /** Seconds between two polls of one profile. */
  every: number
  /** The same for profiles with active pushes, where polling only fills gaps. */
  withPush?: number
  /** The budget shared by all profiles of the app, the units one poll uses, and the share of the budget that polling may use. */
  draws?: { budget: string; uses: number; share: number }
}

/** Meters the requests to one network for one purpose. */
export interface Meter {
  /** Throws a throttled NetworkError while reads have to wait. */
  admit(call: { holder: string; endpoint: string; uses: Uses }): void
  spent(holder: string, uses: Uses): void
}

/** Start and end of the window that contains a time. */
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

/** Milliseconds between two polls of a profile, so that all profiles sharing a budget stay within it. */
export function pollingIntervalMs(
  interval: PollingInterval,
  budgets: readonly Budget[],
  { profiles, pushes, limitOf }: { profiles: number; pushes: boolean; limitOf(budget: Budget): number | undefined },
): number {
  const every = (pushes ? (interval.withPush ?? interval.every) : interval.every) * 1000
  const budget = budgets.find(({ name }) => name === interval.draws?.budget)
  const limit = budget && limitOf(budget)
  if (!interval.draws || !budget || limit === undefined) return every
  const sharing = budget.per === 'app' ? Math.max(1, profiles) : 1
  const spacing = (windowMs[budget.window] * interval.draws.uses * sharing) / Math.max(1, limit * interval.draws.share)
  return Math.max(every, Math.ceil(spacing))
}

/** Midnight in California, a number of days later. Daylight saving changes at two there, so midnight exists exactly once. */
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
