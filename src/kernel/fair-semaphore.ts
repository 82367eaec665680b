export interface FairSemaphoreOptions {
  /** How many there are. */
  places: number
  /** How many of them one owner may have at a time. */
  share: number
}

/** Places that belong to all: nobody has more than their share, and those who wait come in turn, owner by owner. */
export interface FairSemaphore {
  /** Takes a place if one is free for this owner right now. */
  tryTake(owner: string): boolean
  /** Waits for a place; gives up with NoPlace after so many milliseconds, or with the signal's reason. */
  take(owner: string, limits?: WaitLimits): Promise<void>
  /** Gives back one place of this owner. */
  release(owner: string): void
  readonly taken: number
  readonly waiting: number
}

export interface WaitLimits {
  patienceMs?: number
  signal?: AbortSignal | undefined
}

/** Nobody gave a place back in time. */
export class NoFreeSlot extends Error {
  override name = 'NoPlace'
}

interface Waiter {
  begin: () => void
}

export function openFairSemaphore({ places, share }: FairSemaphoreOptions): FairSemaphore {
  const held = new Map<string, number>()
  // A map keeps the order in which owners came; who was served goes to its end.
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
    // Owners that have their share are passed over: there are never more of them than places.
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
        // After a stall the timer comes first: whatever gives places back has one more chance to be heard.
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
