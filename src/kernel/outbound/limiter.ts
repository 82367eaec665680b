export interface Limiter {
  /** Waits for a turn and gives the function that hands it back. */
  take(signal: AbortSignal): Promise<() => void>
}

/** At most so many at the same time; the others wait in order. */
export function limiter(maximum: number): Limiter {
  let taken = 0
  const waiting = new Set<() => void>()
  const handBack = () => {
    const [next] = waiting
    if (next === undefined) taken -= 1
    else next()
  }
  return {
    async take(signal) {
      signal.throwIfAborted()
      if (taken < maximum) taken += 1
      else await turn(waiting, signal)
      return once(handBack)
    },
  }
}

function turn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = () => {
      waiting.delete(start)
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      waiting.delete(start)
      reject(signal.reason)
    }
    waiting.add(start)
    signal.addEventListener('abort', giveUp, { once: true })
  })
}

function once(action: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}
