import type { Db } from './handle.ts'

/** Writes everything a transaction collected for a table with high write contention, rows in key order. */
export interface DeferredWrite<Item> {
  /** Deferred writes are made in ascending order, the same in all transactions, so that they can't deadlock. */
  order: number
  write(db: Db, items: readonly Item[]): Promise<void>
}

type Gathered = Map<DeferredWrite<never>, unknown[]>
const open = new WeakMap<Db, Gathered>()

/**
 * Defers a write to the end of the transaction, however often and in whatever order it is requested. Transactions that write the same rows
 * then wait in one direction only, and briefly. Reads in the same transaction don't see deferred writes. Outside a transaction it is
 * written immediately.
 */
export async function deferWrite<Item>(db: Db, step: DeferredWrite<Item>, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return
  const gathered = open.get(db)
  if (!gathered) return step.write(db, items)
  const known = gathered.get(step as DeferredWrite<never>) ?? []
  // One by one: there may be more items than a call accepts as arguments.
  for (const item of items) known.push(item)
  gathered.set(step as DeferredWrite<never>, known)
}

/** Starts collecting deferred writes; the returned function writes them and stops collecting. */
export function collectDeferredWrites(db: Db): () => Promise<void> {
  open.set(db, new Map())
  return async () => {
    await flushDeferredWrites(db)
    open.delete(db)
  }
}

/** Writes everything collected so far, for callers that are about to compare it with other rows. */
export async function flushDeferredWrites(db: Db) {
  const gathered = open.get(db)
  const steps = [...(gathered ?? [])].sort(([one], [other]) => one.order - other.order)
  gathered?.clear()
  for (const [step, items] of steps) await step.write(db, items as never[])
}

/** Discards some deferred writes, for callers that are about to write the same rows in another way. */
export function dropDeferredWrites<Item>(db: Db, step: DeferredWrite<Item>, isForgotten: (item: Item) => boolean) {
  const gathered = open.get(db)
  const items = (gathered?.get(step as DeferredWrite<never>) ?? []) as Item[]
  gathered?.set(
    step as DeferredWrite<never>,
    items.filter((item) => !isForgotten(item)),
  )
}

/** Items grouped by account, in the order of account ids. */
export function byAccount<Item extends { accountId: string }>(items: readonly Item[]): [string, Item[]][] {
  const found = new Map<string, Item[]>()
  for (const item of items) {
    const known = found.get(item.accountId)
    if (known) known.push(item)
    else found.set(item.accountId, [item])
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1))
}
