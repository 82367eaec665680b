/** Deterministic pseudo-random numbers between 0 and 1. */
export function randomness(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** `npm test` is short enough to run before every commit; TEST_DEPTH=full tries more cases. */
export const deep = <Amount>(usual: Amount, full: Amount): Amount => (process.env.TEST_DEPTH === 'full' ? full : usual)
