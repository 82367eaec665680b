import { type Lock, lockOrder } from './locks.ts'

/** Gets what was held after what, and by which statement. */
type Hear = (disorder: string) => void

let hear: Hear | undefined

/** For tests: from now on hears of everything that transactions of this process hold against the order. */
export const watchLocks = (heard: Hear | undefined) => {
  hear = heard
}

/** Follows one transaction, statement by statement; nothing where nobody watches. */
export function followLocks(): ((statement: string) => void) | undefined {
  if (!hear) return undefined
  const tell = hear
  const held: Lock[] = []
  return (statement) => {
    for (const lock of locksIn(statement)) {
      // More rows of what is held already have an order of their own.
      if (held.includes(lock)) continue
      const later = held.find((one) => placeOf(one) > placeOf(lock))
      if (later) tell(`${lock} after ${later}: ${statement.replace(/\s+/g, ' ').slice(0, 300)}`)
      held.push(lock)
    }
  }
}

const placeOf = (lock: Lock) => lockOrder.indexOf(lock)

/** As the statement itself says. What has no place in the order may be held at any time. */
const locksIn = (statement: string): Lock[] =>
  [...statement.matchAll(/\/\* holds (\w+) \*\//g)].map(([, lock]) => lock as Lock).filter((lock) => placeOf(lock) >= 0)
