import type { Context } from '#kernel/context.ts'
import { type Budget, windowAt } from '#networks/connector/budget.ts'
import { settingName } from '#networks/connector/manifest.ts'
import { connectedNetworks, manifestOf, type Network } from '#networks/manifests.ts'
import { rateLimitsOf } from '#networks/rate-limits.ts'
import { limitWith } from './budgets.ts'
import { countProfiles, type PauseRow, readDays, readPauses, type UsageRow } from './usage-table.ts'

const day = 86_400_000
/** The forecast is based on this many past days. */
const recentDays = 7

/** The usage of the networks' budgets by this installation, the forecast until they reset, and the cost. */
export async function list({ db, appOptions, now }: Context) {
  const days = await readDays(db, new Date(now.getTime() - 40 * day))
  const pauses = await readPauses(db, now)
  const profiles = await countProfiles(db)
  const items = connectedNetworks
    .filter((network) => appOptions(network) !== undefined)
    .map((network) => useOf(network, { days, pauses, profiles, options: appOptions(network) ?? {}, now }))
  return { items, total: items.length }
}

interface Known {
  days: readonly UsageRow[]
  pauses: readonly PauseRow[]
  profiles: ReadonlyMap<string, number>
  options: { readonly [option: string]: string | undefined }
  now: Date
}

function useOf(network: Network, { days, pauses, profiles, options, now }: Known) {
  const { budgets } = rateLimitsOf(network)
  const own = days.filter((row) => row.network === network)
  const today = windowAt('day', now).start
  const calls = own.filter((row) => row.budget === 'calls' && row.period >= today)
  return {
    network,
    profiles: profiles.get(network) ?? 0,
    callsToday: total(calls),
    budgets: budgets
      .filter(({ per }) => per === 'app')
      .map((budget) => ({
        ...budgetUse(budget, own, limitWith(budget, options), now),
        setting: budget.option === undefined ? '' : settingName(manifestOf(network), budget.option),
      })),
    pauses: pauses
      .filter((pause) => pause.network === network)
      .map(({ scope, holder, until }) => ({ scope, of: holder, until })),
  }
}

function budgetUse(budget: Budget, days: readonly UsageRow[], limit: number | undefined, now: Date) {
  const { start, end } = windowAt(budget.window, now)
  const rows = days.filter((row) => row.budget === budget.name)
  const within = rows.filter(({ period }) => period >= start)
  const inDollars = budget.unit === 'micro-dollars'
  // Rounded to cents.
  const shown = (amount: number) => (inDollars ? Math.round(amount / 10_000) / 100 : Math.round(amount))
  return {
    name: budget.name,
    unit: budget.unit === 'micro-dollars' ? ('dollars' as const) : budget.unit,
    window: budget.window,
    limit: limit === undefined ? null : shown(limit),
    used: shown(total(within)),
    usedByPublishing: shown(total(within.filter(({ purpose }) => purpose === 'publish' || purpose === 'reply'))),
    forecast: shown(forecast(total(within), rows, { start, end, now })),
    resets: end,
    source: budget.source,
  }
}

/** The usage expected at the end of the window: today continues at the same rate, later days are like the recent ones. */
function forecast(used: number, rows: readonly UsageRow[], window: { start: Date; end: Date; now: Date }): number {
  const { start, end, now } = window
  const left = end.getTime() - now.getTime()
  if (end.getTime() - start.getTime() <= 25 * 3_600_000) {
    const elapsed = Math.max(3_600_000, now.getTime() - start.getTime())
    return used + (used / elapsed) * left
  }
  const since = now.getTime() - recentDays * day
  const recent = rows.filter(({ period }) => period.getTime() >= since)
  const first = Math.min(now.getTime() - day, ...recent.map(({ period }) => period.getTime()))
  return used + (total(recent) / (now.getTime() - first)) * left
}

const total = (rows: readonly UsageRow[]) => rows.reduce((sum, { used }) => sum + used, 0)
