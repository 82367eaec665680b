/** What is under way of one queue in this process. */
export interface Turns {
  /** How many places are free. */
  free(): number
  /** How many jobs of an account are under way. */
  running(account: string): number
  /** Keeps the account's place until the work has ended. */
  run(account: string, work: Promise<void>): Promise<void>
  underWay(): Promise<void>[]
}

export function openTurns({ places }: { places: number }): Turns {
  const accounts = new Map<string, number>()
  const works = new Set<Promise<void>>()
  const change = (account: string, by: number) => {
    const running = (accounts.get(account) ?? 0) + by
    if (running > 0) accounts.set(account, running)
    else accounts.delete(account)
  }
  return {
    free: () => places - works.size,
    running: (account) => accounts.get(account) ?? 0,
    run(account, work) {
      change(account, 1)
      const done = work.finally(() => {
        change(account, -1)
        works.delete(done)
      })
      works.add(done)
      return done
    },
    underWay: () => [...works],
  }
}
