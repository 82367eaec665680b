/** The only source of time, so that tests can set it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** Tells at every look whether the clock was set back since the last one; before the first it may have been, while no process ran. */
export function watchClock(clock: Clock): () => boolean {
  let before = Number.POSITIVE_INFINITY
  return () => {
    const now = clock.now().getTime()
    const wasSetBack = now < before
    before = now
    return wasSetBack
  }
}
