/** How fast a receiver responds. A slow or unknown receiver never takes a slot from the fast ones. */
export type Pace = 'fast' | 'new' | 'slow'

export const paces: readonly Pace[] = ['fast', 'new', 'slow']

/** Milliseconds after which a call counts as slow. */
export const slowAfter = 2_000

/** Webhooks a process serves at a time. Fewer slow ones than slow calls, which leaves slots for calls that turn out to be slow. */
export const maxWebhooks: Record<Pace, number> = { fast: 64, new: 32, slow: 64 }
/** Concurrent calls to one webhook. */
export const callsPerWebhook: Record<Pace, number> = { fast: 4, new: 1, slow: 1 }
/** Concurrent calls of a process; in total fewer than the outbound client allows. */
const maxCalls: Record<Pace, number> = { fast: 192, new: 32, slow: 224 }

export type CallSlots = ReturnType<typeof createCallSlots>

/** Bulkheads for outgoing calls: one pool per pace, each with its own queue. */
export function createCallSlots() {
  const pools: Record<Pace, SlotPool> = {
    fast: new SlotPool(maxCalls.fast),
    new: new SlotPool(maxCalls.new),
    slow: new SlotPool(maxCalls.slow),
  }
  const active = new Set<CallSlot>()
  return {
    /** Returns a slot, without a promise if one is free. `onSlow` is called if the call turns out to be slow. */
    acquire(pace: Pace, onSlow: () => void): CallSlot | Promise<CallSlot> {
      const waiting = pools[pace].enter()
      if (!waiting) return new CallSlot(pools[pace], active, onSlow)
      return waiting.then(() => new CallSlot(pools[pace], active, onSlow))
    },
    /** Moves calls that turned out to be slow to the slow pool, as far as it has free slots. */
    demoteSlow() {
      const limit = performance.now() - slowAfter
      // In the order in which they started.
      for (const slot of active) {
        if (slot.started > limit) return
        slot.demote(pools.slow)
      }
    },
  }
}

/** A class because one is created for every call. */
class CallSlot {
  readonly started = performance.now()
  private pool: SlotPool
  private readonly active: Set<CallSlot>
  private readonly onSlow: () => void

  constructor(pool: SlotPool, active: Set<CallSlot>, onSlow: () => void) {
    this.pool = pool
    this.active = active
    this.onSlow = onSlow
    active.add(this)
  }

  demote(slow: SlotPool) {
    this.onSlow()
    if (this.pool === slow || !slow.hasFree()) return
    this.pool.leave()
    this.pool = slow
    slow.enter()
  }

  release() {
    this.active.delete(this)
    this.pool.leave()
  }
}

class SlotPool {
  private readonly size: number
  private used = 0
  private readonly waiting: (() => void)[] = []

  constructor(size: number) {
    this.size = size
  }

  hasFree(): boolean {
    return this.used < this.size
  }

  enter(): Promise<void> | undefined {
    if (!this.hasFree()) return new Promise((resolve) => this.waiting.push(resolve))
    this.used++
    return undefined
  }

  leave() {
    const next = this.waiting.shift()
    // The slot passes to the next in line.
    if (next) next()
    else this.used--
  }
}
