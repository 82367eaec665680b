import type { Network } from '../state/rows.ts'

/** What one network was asked for: calls, refusals, units by bucket, and money. */
interface Charged {
  calls: number
  refused: number
  units: { [bucket: string]: number }
  /** In millionths of a dollar. */
  micros: number
  /** How often each resource or action was charged. */
  items: { [item: string]: number }
}

/** A ledger of what calls cost, as a network's bill would show it. */
export class Charges {
  private readonly byNetwork = new Map<Network, Charged>()
  /** Resources that were charged on the day, since a network that bills by resource bills each once a day. */
  private readonly billed = new Set<string>()
  private day = ''

  called(network: Network, isRefused: boolean) {
    const charged = this.of(network)
    charged.calls += 1
    if (isRefused) charged.refused += 1
  }

  units(network: Network, bucket: string, cost: number) {
    const { units } = this.of(network)
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
    const charged = this.of(network)
    charged.micros += micros
    charged.items[item] = (charged.items[item] ?? 0) + 1
  }

  of(network: Network): Charged {
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
