import { setTimeout as sleep } from 'node:timers/promises'
import { isAboutValues } from '../unreadable.ts'

interface BatchOptions<Item, Result> {
  /** How many at most go together. */
  size: number
  /** Milliseconds to wait for others. */
  gathering: number
  /** How many batches of one key may be under way; one unless told. */
  atOnce?: number
  /** Does it for all of one key; gives what came of each, in their order. */
  run(key: string, items: readonly Item[]): Promise<readonly Result[]>
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

interface Queue<Item, Result> {
  waiting: Waiting<Item, Result>[]
  servers: number
}

/** Does together what many ask for one by one; what comes while a batch is under way goes with the next one. */
export function openBatches<Item, Result>({ size, gathering, atOnce = 1, run }: BatchOptions<Item, Result>) {
  const queues = new Map<string, Queue<Item, Result>>()

  const serve = async (key: string, queue: Queue<Item, Result>) => {
    queue.servers++
    while (queue.waiting.length > 0) {
      if (queue.waiting.length < size) await sleep(gathering)
      const batch = queue.waiting.splice(0, size)
      if (batch.length > 0) await settle(key, batch)
    }
    queue.servers--
    if (queue.servers === 0) queues.delete(key)
  }
  const settle = async (key: string, batch: Waiting<Item, Result>[]) => {
    try {
      const results = await run(
        key,
        batch.map(({ item }) => item),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      // One whose values cannot be written must not take the others with it.
      if (batch.length > 1 && isAboutValues(error)) for (const one of batch) await settle(key, [one])
      else for (const { reject } of batch) reject(error)
    }
  }

  return (key: string, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key) ?? { waiting: [], servers: 0 }
      queues.set(key, queue)
      queue.waiting.push({ item, resolve, reject })
      // The first of them waits for others; nobody else needs to before it has gone.
      if (queue.servers < atOnce && (queue.servers === 0 || queue.waiting.length === 1)) void serve(key, queue)
    })
}
