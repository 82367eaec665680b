import { setTimeout as sleep } from 'node:timers/promises'
import { isAboutValues } from '../skipped-rows.ts'

interface BatcherOptions<Item, Result> {
  maxSize: number
  /** Milliseconds to wait for more items before a batch that is not full. */
  maxDelay: number
  /** Batches per key that may run concurrently; one by default. */
  concurrency?: number
  /** Runs one batch; returns the results in the order of the items. */
  run(key: string, items: readonly Item[]): Promise<readonly Result[]>
}

interface Pending<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

interface KeyQueue<Item, Result> {
  pending: Pending<Item, Result>[]
  running: number
}

/**
 * Returns a function that takes single items and processes those with the same key in batches: one statement for many rows is far cheaper
 * than one for each. Items that arrive while a batch runs are added to the next one.
 */
export function createBatcher<Item, Result>({ maxSize, maxDelay, concurrency = 1, run }: BatcherOptions<Item, Result>) {
  const queues = new Map<string, KeyQueue<Item, Result>>()

  const drain = async (key: string, queue: KeyQueue<Item, Result>) => {
    queue.running++
    while (queue.pending.length > 0) {
      if (queue.pending.length < maxSize) await sleep(maxDelay)
      const batch = queue.pending.splice(0, maxSize)
      if (batch.length > 0) await runBatch(key, batch)
    }
    queue.running--
    if (queue.running === 0) queues.delete(key)
  }
  const runBatch = async (key: string, batch: Pending<Item, Result>[]) => {
    try {
      const results = await run(
        key,
        batch.map(({ item }) => item),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      // An item with values the database rejects must not fail the others.
      if (batch.length > 1 && isAboutValues(error)) for (const one of batch) await runBatch(key, [one])
      else for (const { reject } of batch) reject(error)
    }
  }

  return (key: string, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key) ?? { pending: [], running: 0 }
      queues.set(key, queue)
      queue.pending.push({ item, resolve, reject })
      // A further batch starts with the first item that is pending; those after it will join.
      if (queue.running < concurrency && (queue.running === 0 || queue.pending.length === 1)) void drain(key, queue)
    })
}
