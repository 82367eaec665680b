/** Who has had a turn in one queue, and what of it is under way in this process. */
export interface Turns {
  /** How many places are free. */
  free(): number
  /** The owners that were served, the longest ago first, and how many jobs of each are under way. */
  served(): { owner: string; running: number }[]
  /** Keeps the owner's place until the work has ended. */
  run(owner: string, work: Promise<void>): Promise<void>
  underWay(): Promise<void>[]
}

/** Owners with nothing under way that are remembered; who was forgotten counts as never served. */
const remembered = 1_000

export function openTurns({ places }: { places: number }): Turns {
  // A map keeps the order: who is served goes to its end.
  const owners = new Map<string, number>()
  const works = new Set<Promise<void>>()

  const forgetOldest = () => {
    if (owners.size <= remembered + places) return
    for (const [owner, running] of owners) {
      if (running > 0) continue
      owners.delete(owner)
      return
    }
  }
  return {
    free: () => places - works.size,
    served: () => [...owners].map(([owner, running]) => ({ owner, running })),
    run(owner, work) {
      const before = owners.get(owner) ?? 0
      owners.delete(owner)
      owners.set(owner, before + 1)
      forgetOldest()
      const done = work.finally(() => {
        owners.set(owner, (owners.get(owner) ?? 1) - 1)
        works.delete(done)
      })
      works.add(done)
      return done
    },
    underWay: () => [...works],
  }
}
