interface Window {
  startedAt: number
  used: number
}

export interface Allowance {
  limit: number
  remaining: number
  resetAt: number
  allowed: boolean
}

/** Counts calls in fixed windows, as the networks do. */
export class Rates {
  private readonly windows = new Map<string, Window>()
  private readonly overrides = new Map<string, number>()

  factor: number

  constructor(factor: number) {
    this.factor = factor
  }

  /** Takes from the window unless it is spent; `cost` 0 only looks. */
  take(key: string, name: string, rule: { limit: number; windowMs: number; cost?: number }, now: number): Allowance {
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

  overridden(name: string): number | undefined {
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
