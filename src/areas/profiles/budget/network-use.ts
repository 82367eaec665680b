import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { job } from '#kernel/jobs/job.ts'
import { type Budget, type BudgetWindow, type Purpose, windowAt } from '#networks/connector/budget.ts'
import { settingName } from '#networks/connector/manifest.ts'
import type { NetworkApp, Usage } from '#networks/connector/network-app.ts'
import { connectedNetworks, manifestOf, type Network } from '#networks/manifests.ts'
import { rateLimitsOf } from '#networks/rate-limits.ts'

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

interface StoredUse {
  days: readonly UsageRow[]
  pauses: readonly PauseRow[]
  profiles: ReadonlyMap<string, number>
  options: { readonly [option: string]: string | undefined }
  now: Date
}

function useOf(network: Network, { days, pauses, profiles, options, now }: StoredUse) {
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

/** The limit of a budget: as documented, or as overridden by the operator. */
export function limitWith({ limit: usual, limitBy, option, unit }: Budget, options: NetworkApp['options'] | undefined) {
  const limit = limitBy?.values[options?.[limitBy.option] ?? ''] ?? usual
  const given = option === undefined ? undefined : options?.[option]
  if (!given) return limit
  return unit === 'micro-dollars' ? Number(given) * 1_000_000 : Number(given)
}

/** The usage of a budget on one day for one purpose. */
export interface UsageRow {
  network: string
  budget: string
  period: Date
  purpose: Purpose
  used: number
}

/** Adds usage in one statement, ordered by key, so that concurrent processes cannot deadlock. */
export async function addUsage(db: Db, rows: readonly UsageRow[]) {
  if (rows.length === 0) return
  const sorted = rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  const column = <Value>(read: (row: UsageRow) => Value) => sorted.map(read)
  await sql`
    insert into network_usage (network, budget, period, purpose, used)
    select * from unnest(${column((row) => row.network)}::text[], ${column((row) => row.budget)}::text[],
      ${column((row) => row.period)}::timestamptz[], ${column((row) => row.purpose)}::text[], ${column((row) => row.used)}::bigint[])
    on conflict (network, budget, period, purpose) do update set used = network_usage.used + excluded.used`.execute(db)
}

const keyOf = ({ network, budget, period, purpose }: UsageRow) =>
  `${network} ${budget} ${period.toISOString()} ${purpose}`

/** The total usage of all processes since the start of each window. */
export async function readUsage(db: Db, windows: readonly { network: string; budget: string; start: Date }[]) {
  const { rows } = await sql<{ network: string; budget: string; used: string }>`
    select u.network, u.budget, sum(u.used) as used from network_usage u
    join unnest(${windows.map(({ network }) => network)}::text[], ${windows.map(({ budget }) => budget)}::text[],
      ${windows.map(({ start }) => start)}::timestamptz[]) as w (network, budget, start)
      on u.network = w.network and u.budget = w.budget and u.period >= w.start
    group by u.network, u.budget`.execute(db)
  return rows.map(({ network, budget, used }) => ({ network, budget, used: Number(used) }))
}

/** By day and purpose. */
async function readDays(db: Db, since: Date): Promise<UsageRow[]> {
  const rows = await db
    .selectFrom('networkUsage')
    .selectAll()
    .where('period', '>=', since)
    .orderBy('network')
    .orderBy('budget')
    .orderBy('period')
    .execute()
  return rows.map((row) => ({ ...row, purpose: row.purpose as Purpose, used: Number(row.used) }))
}

/** A pause of a budget and its end. */
export interface PauseRow {
  network: string
  scope: Usage['scope']
  holder: string
  until: Date
}

export async function addPauses(db: Db, rows: readonly PauseRow[]) {
  if (rows.length === 0) return
  const key = ({ network, scope, holder }: PauseRow) => `${network} ${scope} ${holder}`
  const sorted = rows.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
  await sql`
    insert into network_read_pauses (network, scope, holder, until)
    select * from unnest(${sorted.map(({ network }) => network)}::text[], ${sorted.map(({ scope }) => scope)}::text[],
      ${sorted.map(({ holder }) => holder)}::text[], ${sorted.map(({ until }) => until)}::timestamptz[])
    on conflict (network, scope, holder) do update set until = greatest(network_read_pauses.until, excluded.until)`.execute(
    db,
  )
}

export async function readPauses(db: Db, now: Date): Promise<PauseRow[]> {
  const rows = await db.selectFrom('networkReadPauses').selectAll().where('until', '>', now).execute()
  return rows.map((row) => ({ ...row, scope: row.scope as PauseRow['scope'] }))
}

/** The number of profiles that share each network's app. */
export async function countProfiles(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ network: string; profiles: number }>`
    select network, count(distinct remote_id)::int as profiles from push_routes group by network`.execute(db)
  return new Map(rows.map(({ network, profiles }) => [network, profiles]))
}

const keptMonths = 13

/** Deletes usage older than a year and expired pauses. */
export const forgetNetworkUseJob = job<Record<string, never>>('profiles.forget-network-use', {
  queue: 'housekeeping',
  async run({ shared, now }) {
    const before = new Date(now)
    before.setUTCMonth(before.getUTCMonth() - keptMonths)
    await shared.deleteFrom('networkUsage').where('period', '<', before).execute()
    await shared.deleteFrom('networkReadPauses').where('until', '<', now).execute()
  },
})

/** The day under which usage is stored, in the time zone of the budget. */
export const periodOf = (window: BudgetWindow, at: Date) =>
  windowAt(window === 'pacificDay' ? 'pacificDay' : 'day', at).start
