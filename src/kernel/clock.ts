/** The only source of time, so that tests can set it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/**
 * Returns a check that runs `work` if the clock was set back since the previous check. The first check always runs it, because the clock
 * may have changed while no process ran. Failed work is retried by the next check.
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
