/** The only source of time, so that tests can set it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/**
 * Gives a look that does something when the clock was set back since the look before; the first one does it too, as that may have
 * happened while no process ran. What failed is done again.
 */
export function afterSetBack(clock: Clock, work: (now: Date) => Promise<void>): () => Promise<void> {
  let before = Number.POSITIVE_INFINITY
  return async () => {
    const now = clock.now()
    if (now.getTime() < before) await work(now)
    before = now.getTime()
  }
}

/** Durations in milliseconds. */
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
