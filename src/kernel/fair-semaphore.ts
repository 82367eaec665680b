export interface FairSemaphoreOptions {
  /** Total number of slots. */
  slots: number
  /** Maximum number of slots per owner while other owners are active; a function if it depends on the owner. */
  share: number | ((owner: string) => number)
  /** Maximum number of slots of the only active owner; by default its share. */
  alone?: number
}

/** An owner that asked for a slot within this time counts as active. */
const recentMs = 1_000

/** Semaphore with a maximum share per owner. Waiting owners are served round-robin; an owner that is alone may exceed its share. */
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

export function openFairSemaphore({ slots, share, alone }: FairSemaphoreOptions): FairSemaphore {
  const held = new Map<string, number>()
  let latest = { owner: '', at: Number.NEGATIVE_INFINITY }
  let latestOther = latest
  // A map keeps insertion order; an owner that was served moves to the end.
  const queues = new Map<string, Set<Waiter>>()
  let taken = 0
  let waiting = 0
  let checking: NodeJS.Timeout | undefined

  const has = (owner: string) => held.get(owner) ?? 0
  const shareOf = typeof share === 'function' ? share : () => share
  /** Records that an owner is active, if that matters. */
  const note = (owner: string) => {
    if (alone === undefined) return
    const at = performance.now()
    if (owner !== latest.owner) latestOther = latest
    latest = { owner, at }
  }
  const isAlone = (owner: string) => {
    const other = owner === latest.owner ? latestOther : latest
    return performance.now() - other.at > recentMs && (queues.size === 0 || (queues.size === 1 && queues.has(owner)))
  }
  const isFull = (owner: string) => {
    const own = has(owner)
    return own > 0 && own >= shareOf(owner) && !(alone !== undefined && own < alone && isAlone(owner))
  }
  const grant = (owner: string) => {
    taken++
    held.set(owner, has(owner) + 1)
  }
  const leave = (owner: string, waiter: Waiter) => {
    const queue = queues.get(owner)
    if (!queue?.delete(waiter)) return
    waiting--
    if (queue.size === 0) queues.delete(owner)
  }
  /** Gives a free slot to the next owner that may have it; returns whether there was one. */
  const next = (): boolean => {
    if (taken >= slots) return false
    for (const [owner, queue] of queues) {
      if (isFull(owner)) continue
      const [waiter] = queue
      if (!waiter) continue
      leave(owner, waiter)
      if (queue.size > 0) {
        queues.delete(owner)
        queues.set(owner, queue)
      }
      grant(owner)
      waiter.begin()
      return true
    }
    return false
  }
  /** An owner that waits because of its share may have more as soon as the others are no longer active, without any release. */
  const checkLater = () => {
    if (alone === undefined || checking) return
    checking = setTimeout(() => {
      checking = undefined
      while (next());
      if (queues.size > 0) checkLater()
    }, recentMs / 2).unref()
  }
  const tryTake = (owner: string) => {
    note(owner)
    if (taken >= slots || isFull(owner)) return false
    grant(owner)
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
        const timeOut = () => end(() => reject(new NoFreeSlot('No place became free in time.')))
        // After a stall of the event loop the timer fires first: pending releases get one more chance to run.
        let last: NodeJS.Immediate | undefined
        const doubt = () => {
          last = setImmediate(timeOut)
        }
        const timer = patienceMs === undefined ? undefined : setTimeout(doubt, patienceMs)
        signal?.addEventListener('abort', abort, { once: true })
        const queue = queues.get(owner) ?? new Set()
        queue.add(waiter)
        queues.set(owner, queue)
        waiting++
        checkLater()
      })
    },
    release(owner) {
      const left = has(owner) - 1
      if (left < 0) throw new Error('A place was given back that nobody had.')
      if (left > 0) held.set(owner, left)
      else held.delete(owner)
      taken--
      while (next());
    },
    get taken() {
      return taken
    },
    get waiting() {
      return waiting
    },
  }
}
