/** Who had how much of the thread lately. */
export interface ThreadUse {
  add(owner: string, milliseconds: number): void
  /** Whether this one had much more than the others had on average. */
  isLargest(owner: string): boolean
}

/** After this long about a third of what somebody had still counts. */
const lastingMs = 3_000
const muchMore = 2
/** How long a sum over all of them is good for: making it takes time as well. */
const sumMs = 100
/** Who had less than this is forgotten. */
const forgottenMs = 0.1

export function openThreadUse(): ThreadUse {
  const uses = new Map<string, { milliseconds: number; at: number }>()
  let sum = { milliseconds: 0, owners: 0, at: Number.NEGATIVE_INFINITY }

  const lately = (use: { milliseconds: number; at: number } | undefined, now: number) =>
    use ? use.milliseconds * Math.exp((use.at - now) / lastingMs) : 0

  const addUp = (now: number) => {
    let milliseconds = 0
    for (const [owner, use] of uses) {
      const had = lately(use, now)
      if (had < forgottenMs) uses.delete(owner)
      else milliseconds += had
    }
    sum = { milliseconds, owners: uses.size, at: now }
  }

  return {
    add(owner, milliseconds) {
      const now = performance.now()
      uses.set(owner, { milliseconds: lately(uses.get(owner), now) + milliseconds, at: now })
    },
    isLargest(owner) {
      const now = performance.now()
      if (now - sum.at > sumMs) addUp(now)
      const own = lately(uses.get(owner), now)
      const others = Math.max(0, sum.milliseconds - own) / Math.max(1, sum.owners - 1)
      return own > muchMore * others
    },
  }
}
