import type { Clock } from '#kernel/clock.ts'
import type { Database } from '#kernel/database/database.ts'
import {
  type Budget,
  type Meter,
  type Purpose,
  pollingIntervalMs,
  readingShares,
  type Uses,
  windowAt,
} from '#networks/connector/budget.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import type { NetworkApp, Usage } from '#networks/connector/network-app.ts'
import { manifestOf, manifests, type Network } from '#networks/manifests.ts'
import { rateLimitsOf } from '#networks/rate-limits.ts'
import {
  addPauses,
  addUsage,
  countProfiles,
  limitWith,
  type PauseRow,
  periodOf,
  readPauses,
  readUsage,
  type UsageRow,
} from './network-use.ts'

export interface BudgetOptions {
  database: Database
  clock: Clock
  /** The options of the network's app, which may override limits. */
  options(network: Network): NetworkApp['options'] | undefined
  /** Whether reading is limited by the network's budgets and intervals; false if its app is the demo's sandbox. */
  isPaced(network: Network): boolean
  report(error: unknown): void
}

/** The API budgets of the networks as known to this process: counted locally, written in batches, shared with all other processes. */
export interface Budgets {
  meter(network: Network, purpose: Purpose): Meter
  /** Records limits reported by a network. */
  recordUsage(usage: Usage): void
  /** Milliseconds between two polls of a profile, at least `floor`. */
  interval(network: Network, kind: 'inbox' | 'streams', asked: { floor: number; pushes: boolean }): number
  /** Writes local usage and reads that of other processes. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** From this share of a limit reported by the network on, reading waits: the last tenth is reserved for publishing. */
const nearlySpent = 0.9
/** How long reading pauses if the network does not give a time. */
const usualPause = 10 * 60_000
const syncEvery = 5_000
/** The longest polling interval: after a quota was raised, a poll follows within the hour. */
const slowest = 60 * 60_000
/** The number of profiles changes slowly, and counting reads them all. */
const countEvery = 60_000
/** Without local usage to write, that of other processes is read only every this many runs. */
const idleRuns = 6

interface Count {
  start: number
  used: number
}

export async function openBudgets(options: BudgetOptions): Promise<Budgets> {
  const { database, clock, isPaced, report } = options
  const counts = new Map<string, Count>()
  const pauses = new Map<string, PauseRow>()
  let unsavedPauses: PauseRow[] = []
  let pending = new Map<string, UsageRow>()
  let profiles = new Map<string, number>()
  let running: Promise<void> | undefined
  let runs = 0
  let counted = 0

  const limitOf = (network: Network) => (budget: Budget) => limitWith(budget, options.options(network))
  const countOf = (network: Network, { name, per, window }: Budget, holder: string, now: Date): Count => {
    const key = `${network} ${name} ${per === 'app' ? '' : holder}`
    const start = windowAt(window, now).start.getTime()
    const known = counts.get(key)
    if (known?.start === start) return known
    const fresh = { start, used: 0 }
    counts.set(key, fresh)
    return fresh
  }

  const note = (network: Network, budget: string, period: Date, purpose: Purpose, amount: number) => {
    const key = `${network} ${budget} ${period.getTime()} ${purpose}`
    const known = pending.get(key)
    if (known) known.used += amount
    else pending.set(key, { network, budget, period, purpose, used: amount })
  }

  function spent(network: Network, purpose: Purpose, holder: string, uses: Uses) {
    const now = clock.now()
    const { budgets } = rateLimitsOf(network)
    for (const [name, amount] of Object.entries(uses)) {
      if (amount === 0) continue
      const budget = budgets.find((one) => one.name === name)
      if (budget) countOf(network, budget, holder, now).used += amount
      if (name === 'calls' || budget?.per === 'app')
        note(network, name, periodOf(budget?.window ?? 'day', now), purpose, amount)
    }
  }

  function admit(network: Network, purpose: Purpose, call: { holder: string; endpoint: string; uses: Uses }) {
    const share = readingShares[purpose]
    if (share === undefined || !isPaced(network)) return
    const now = clock.now()
    const { name } = manifestOf(network)
    const { budgets } = rateLimitsOf(network)
    for (const key of pauseKeys(network, call)) {
      const pause = pauses.get(key)
      if (pause && pause.until > now) throw mustWait(network, pause.until, `${name} told to wait`)
    }
    for (const budget of budgets) {
      const amount = call.uses[budget.name]
      const limit = limitWith(budget, options.options(network))
      if (amount === undefined || limit === undefined) continue
      if (countOf(network, budget, call.holder, now).used + Math.max(1, amount) > limit * share)
        throw mustWait(
          network,
          windowAt(budget.window, now).end,
          `the part of the ${name} budget “${budget.name}” that is for reading is used up`,
        )
    }
  }

  function recordUsage({ network, scope, of, used, until }: Usage) {
    const now = clock.now()
    if (used < nearlySpent) return
    const end = until ?? new Date(now.getTime() + usualPause)
    const pause = { network, scope, holder: scope === 'app' ? '' : of, until: end }
    const key = `${network} ${scope} ${pause.holder}`
    const known = pauses.get(key)
    if (end <= now || (known && known.until >= end)) return
    pauses.set(key, pause)
    unsavedPauses.push(pause)
  }

  async function syncOnce() {
    const db = database.shared
    const now = clock.now()
    const [rows, ends] = [[...pending.values()], unsavedPauses]
    pending = new Map()
    unsavedPauses = []
    try {
      await addUsage(db, rows)
    } catch (error) {
      for (const { network, budget, period, purpose, used } of rows)
        note(network as Network, budget, period, purpose, used)
      unsavedPauses.push(...ends)
      throw error
    }
    await addPauses(db, ends)
    const shared = manifests.flatMap(({ network }) =>
      rateLimitsOf(network)
        .budgets.filter(isKept)
        .map((budget) => ({ network, budget })),
    )
    const windows = shared.map(({ network, budget }) => ({
      network,
      budget: budget.name,
      start: windowAt(budget.window, now).start,
    }))
    const totals = await readUsage(db, windows)
    for (const { network, budget } of shared) {
      const total = totals.find((one) => one.network === network && one.budget === budget.name)?.used ?? 0
      const since = [...pending.values()].filter((row) => row.network === network && row.budget === budget.name)
      countOf(network, budget, '', now).used = total + since.reduce((sum, { used }) => sum + used, 0)
    }
    for (const [key, { until }] of pauses) if (until <= now) pauses.delete(key)
    for (const pause of await readPauses(db, now)) pauses.set(`${pause.network} ${pause.scope} ${pause.holder}`, pause)
    for (const [key, { start }] of counts) if (start < now.getTime() - longestWindow) counts.delete(key)
    // A clock that was set back must not stop the counting.
    if (Math.abs(now.getTime() - counted) < countEvery) return
    counted = now.getTime()
    profiles = await countProfiles(db)
  }

  const sync = () => {
    running ??= syncOnce().finally(() => {
      running = undefined
    })
    return running
  }

  const timer = setInterval(() => {
    runs += 1
    if (pending.size > 0 || unsavedPauses.length > 0 || runs % idleRuns === 0) sync().catch(report)
  }, syncEvery).unref()

  await sync()
  return {
    meter: (network, purpose) => ({
      admit: (call) => admit(network, purpose, call),
      spent: (holder, uses) => spent(network, purpose, holder, uses),
    }),
    recordUsage,
    interval(network, kind, { floor, pushes }) {
      if (!isPaced(network)) return floor
      const { polling, budgets } = rateLimitsOf(network)
      const sharing = { profiles: profiles.get(network) ?? 1, pushes, limitOf: limitOf(network) }
      const usual = Math.max(floor, pollingIntervalMs(polling[kind], budgets, sharing))
      const { draws } = polling[kind]
      const budget = budgets.find((one) => one.name === draws?.budget)
      const limit = budget && limitOf(network)(budget)
      if (!draws || !budget || limit === undefined) return usual
      // Usage by other processes reduces the rest of the window: polling slows down instead of stopping early.
      const now = clock.now()
      const left = limit * (readingShares[kind] ?? 1) - countOf(network, budget, '', now).used
      const remaining = windowAt(budget.window, now).end.getTime() - now.getTime()
      const sharers = budget.per === 'app' ? sharing.profiles : 1
      const spacing = (remaining * draws.uses * sharers) / Math.max(1, left)
      return Math.max(usual, Math.min(Math.ceil(spacing), slowest))
    },
    sync,
    async close() {
      clearInterval(timer)
      await running?.catch(report)
      await sync().catch(report)
    },
  }
}

const longestWindow = 32 * 86_400_000

/** Daily and monthly windows are stored; shorter ones are known only to this process and the network. */
const isKept = ({ per, window }: Budget) => per === 'app' && ['day', 'pacificDay', 'month'].includes(window)

const pauseKeys = (network: Network, { holder, endpoint, uses }: { holder: string; endpoint: string; uses: Uses }) => [
  `${network} app `,
  `${network} actor ${holder}`,
  `${network} endpoint ${holder} ${endpoint}`,
  ...Object.keys(uses).map((budget) => `${network} endpoint ${budget}`),
]

/** The same error as a rate limit of the network, so that readers handle it the same way. */
function mustWait(network: Network, until: Date, why: string): NetworkError {
  const at = until.toISOString().slice(0, 16).replace('T', ' ')
  const sentence = `Reading waits until ${at} UTC: ${why}. Posts and replies still go out.`
  return new NetworkError(network, { kind: 'throttled', until, scope: 'endpoint' }, sentence)
}
