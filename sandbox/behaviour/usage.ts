import type { Network } from '../state/rows.ts'

interface Window {
  startedAt: number
  used: number
}

export interface RateLimitResult {
  limit: number
  remaining: number
  resetAt: number
  allowed: boolean
}

/** Counts requests in fixed windows, as the networks do. */
export class RateLimiter {
  private readonly windows = new Map<string, Window>()
  private readonly overrides = new Map<string, number>()

  factor: number

  constructor(factor: number) {
    this.factor = factor
  }

  /** Consumes from the window unless it is exhausted; `cost` 0 only reads. */
  take(
    key: string,
    name: string,
    rule: { limit: number; windowMs: number; cost?: number },
    now: number,
  ): RateLimitResult {
    const limit = this.overrides.get(name) ?? Math.floor(rule.limit * this.factor)
    const cost = rule.cost ?? 1
    const startedAt = Math.floor(now / rule.windowMs) * rule.windowMs
    let window = this.windows.get(key)
    if (window?.startedAt !== startedAt) {
      window = { startedAt, used: 0 }
      this.windows.set(key, window)
    }
    const allowed = window.used + cost <= limit
    if (allowed) window.used += cost
    const remaining = Math.max(0, limit - window.used)
    return { limit, remaining, resetAt: startedAt + rule.windowMs, allowed }
  }

  overrideFor(name: string): number | undefined {
    return this.overrides.get(name)
  }

  override(name: string, limit: number) {
    this.overrides.set(name, limit)
  }

  clear() {
    this.windows.clear()
    this.overrides.clear()
  }
}

/** Usage of one network: requests, rejected requests, quota units by bucket, and cost. */
interface NetworkUsage {
  calls: number
  refused: number
  units: { [bucket: string]: number }
  /** In millionths of a dollar. */
  micros: number
  /** Number of charges per resource or action. */
  items: { [item: string]: number }
}

/** Usage and cost of requests, as a network's bill would show them. */
export class UsageMeter {
  private readonly byNetwork = new Map<Network, NetworkUsage>()
  /** Resources already charged today: a network that bills by resource charges each once a day. */
  private readonly billed = new Set<string>()
  private day = ''

  countRequest(network: Network, isRefused: boolean) {
    const charged = this.ofNetwork(network)
    charged.calls += 1
    if (isRefused) charged.refused += 1
  }

  countUnits(network: Network, bucket: string, cost: number) {
    const { units } = this.ofNetwork(network)
    units[bucket] = (units[bucket] ?? 0) + cost
  }

  /** Charges an action, or a resource unless it was charged on the same day (UTC). */
  charge(network: Network, item: string, micros: number, resource?: { id: string; now: number }) {
    if (resource) {
      const day = new Date(resource.now).toISOString().slice(0, 10)
      if (day !== this.day) this.billed.clear()
      this.day = day
      const key = `${network} ${item} ${resource.id}`
      if (this.billed.has(key)) return
      this.billed.add(key)
    }
    const charged = this.ofNetwork(network)
    charged.micros += micros
    charged.items[item] = (charged.items[item] ?? 0) + 1
  }

  ofNetwork(network: Network): NetworkUsage {
    const known = this.byNetwork.get(network)
    if (known) return known
    const fresh = { calls: 0, refused: 0, units: {}, micros: 0, items: {} }
    this.byNetwork.set(network, fresh)
    return fresh
  }

  list() {
    return Object.fromEntries(this.byNetwork)
  }

  clear() {
    this.byNetwork.clear()
    this.billed.clear()
  }
}
