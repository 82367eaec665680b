import type { Deadline } from './deadline.ts'

export interface Limiter {
  /** Waits for a turn; nothing to wait for when there is one. */
  take(deadline: Deadline): Promise<void> | undefined
  giveBack(): void
}

/** At most so many at the same time; the others wait in order. */
export function limiter(maximum: number): Limiter {
  let taken = 0
  const waiting = new Set<() => void>()
  return {
    take(deadline) {
      if (deadline.reason) throw deadline.reason
      if (taken >= maximum) return turn(waiting, deadline)
      taken += 1
      return undefined
    },
    giveBack() {
      const [next] = waiting
      if (next === undefined) taken -= 1
      else next()
    },
  }
}

function turn(waiting: Set<() => void>, deadline: Deadline): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (reason: unknown) => {
      waiting.delete(start)
      reject(reason)
    }
    const start = () => {
      waiting.delete(start)
      deadline.forget(giveUp)
      resolve()
    }
    waiting.add(start)
    deadline.onEnd(giveUp)
  })
}
