export interface FairSemaphoreOptions {
  /** Total number of slots. */
  places: number
  /** Maximum number of slots per owner. */
  share: number
}

/** Semaphore with a maximum share per owner. Waiting owners are served round-robin. */
export interface FairSemaphore {
  /** Takes a slot if one is available to this owner immediately. */
  tryTake(owner: string): boolean
  /** Waits for a slot; rejects with NoFreeSlot after the given milliseconds, or with the signal's reason. */
  take(owner: string, limits?: WaitLimits): Promise<void>
  /** Releases one slot of this owner. */
  release(owner: string): void
  readonly taken: number
  readonly waiting: number
}

export interface WaitLimits {
  patienceMs?: number
  signal?: AbortSignal | undefined
}

/** No slot was released in time. */
export class NoFreeSlot extends Error {
  override name = 'NoFreeSlot'
}

interface Waiter {
  begin: () => void
}

export function openFairSemaphore({ places, share }: FairSemaphoreOptions): FairSemaphore {
  const held = new Map<string, number>()
  // A map keeps insertion order; an owner that was served moves to the end.
  const queues = new Map<string, Set<Waiter>>()
  let taken = 0
  let waiting = 0

  const has = (owner: string) => held.get(owner) ?? 0
  const give = (owner: string) => {
    taken++
    held.set(owner, has(owner) + 1)
  }
  const leave = (owner: string, waiter: Waiter) => {
    const queue = queues.get(owner)
    if (!queue?.delete(waiter)) return
    waiting--
    if (queue.size === 0) queues.delete(owner)
  }
  const next = () => {
    // Owners that hold their full share are skipped: there are never more of them than slots.
    for (const [owner, queue] of queues) {
      if (has(owner) >= share) continue
      const [waiter] = queue
      if (!waiter) continue
      leave(owner, waiter)
      if (queue.size > 0) {
        queues.delete(owner)
        queues.set(owner, queue)
      }
      give(owner)
      return waiter.begin()
    }
  }
  const tryTake = (owner: string) => {
    if (taken >= places || has(owner) >= share) return false
    give(owner)
    return true
  }

  return {
    tryTake,
    take(owner, { patienceMs, signal } = {}) {
      if (signal?.aborted) return Promise.reject(signal.reason)
      if (tryTake(owner)) return Promise.resolve()
      return new Promise((resolve, reject) => {
        const end = (settle: () => void) => {
          clearTimeout(timer)
          clearImmediate(last)
          signal?.removeEventListener('abort', abort)
          leave(owner, waiter)
          settle()
        }
        const waiter = { begin: () => end(resolve) }
        const abort = () => end(() => reject(signal?.reason))
        const giveUp = () => end(() => reject(new NoFreeSlot('No place became free in time.')))
        // After a stall of the event loop the timer fires first: pending releases get one more chance to run.
        let last: NodeJS.Immediate | undefined
        const doubt = () => {
          last = setImmediate(giveUp)
        }
        const timer = patienceMs === undefined ? undefined : setTimeout(doubt, patienceMs)
        signal?.addEventListener('abort', abort, { once: true })
        const queue = queues.get(owner) ?? new Set()
        queue.add(waiter)
        queues.set(owner, queue)
        waiting++
      })
    },
    release(owner) {
      const left = has(owner) - 1
      if (left < 0) throw new Error('A place was given back that nobody had.')
      if (left > 0) held.set(owner, left)
      else held.delete(owner)
      taken--
      next()
    },
    get taken() {
      return taken
    },
    get waiting() {
      return waiting
    },
  }
}
