import { setTimeout as sleep } from 'node:timers/promises'

interface BatchOptions<Item, Result> {
  /** How many at most go together. */
  size: number
  /** Milliseconds to wait for others. */
  gathering: number
  /** Does it for all of one key; gives what came of each, in their order. */
  run(key: string, items: readonly Item[]): Promise<readonly Result[]>
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** Does together what many ask for one by one: a batch at a time for each key; what comes meanwhile goes with the next one. */
export function openBatches<Item, Result>({ size, gathering, run }: BatchOptions<Item, Result>) {
  const queues = new Map<string, Waiting<Item, Result>[]>()

  const serve = async (key: string, queue: Waiting<Item, Result>[]) => {
    while (queue.length > 0) {
      if (queue.length < size) await sleep(gathering)
      const batch = queue.splice(0, size)
      try {
        const results = await run(
          key,
          batch.map(({ item }) => item),
        )
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    queues.delete(key)
  }

  return (key: string, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const known = queues.get(key)
      const queue = known ?? []
      queue.push({ item, resolve, reject })
      if (known) return
      queues.set(key, queue)
      void serve(key, queue)
    })
}
