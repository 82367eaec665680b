import type { Db } from './handle.ts'

/**
 * What many write to at the same time, in the order in which everybody holds its rows: the places of profiles where something is due, how many
 * posts there are, every other number.
 */
const lastOrder = ['profileLanes', 'postCounts', 'figures'] as const

/** How everything that a transaction gathered for one of these is written, rows in the order of their keys. */
export interface DeferredWrite<Item> {
  writes: (typeof lastOrder)[number]
  write(db: Db, items: readonly Item[]): Promise<void>
}

type Gathered = Map<DeferredWrite<never>, unknown[]>
const open = new WeakMap<Db, Gathered>()

/**
 * Writes something once, right before the transaction ends, however often and in whatever order its work comes to it: two that come to the
 * same rows wait for each other in one direction, and not for long. Whoever reads in the same transaction does not see it. Outside of one
 * it is written at once.
 */
export async function deferWrite<Item>(db: Db, step: DeferredWrite<Item>, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return
  const gathered = open.get(db)
  if (!gathered) return step.write(db, items)
  const known = gathered.get(step as DeferredWrite<never>) ?? []
  // One by one: they may be more than a call takes.
  for (const item of items) known.push(item)
  gathered.set(step as DeferredWrite<never>, known)
}

/** From now on what is to come last is gathered; what this gives writes it, and gathers no more. */
export function collectDeferredWrites(db: Db): () => Promise<void> {
  open.set(db, new Map())
  return async () => {
    await flushDeferredWrites(db)
    open.delete(db)
  }
}

/** Writes now what was gathered so far: for those who are about to compare it with something. */
export async function flushDeferredWrites(db: Db) {
  const gathered = open.get(db)
  const steps = [...(gathered ?? [])].sort(([one], [other]) => placeOf(one) - placeOf(other))
  gathered?.clear()
  for (const [step, items] of steps) await step.write(db, items as never[])
}

/** Forgets some of what was gathered, for those who are about to write the same in another way. */
export function dropDeferredWrites<Item>(db: Db, step: DeferredWrite<Item>, isForgotten: (item: Item) => boolean) {
  const gathered = open.get(db)
  const items = (gathered?.get(step as DeferredWrite<never>) ?? []) as Item[]
  gathered?.set(
    step as DeferredWrite<never>,
    items.filter((item) => !isForgotten(item)),
  )
}

const placeOf = ({ writes }: DeferredWrite<never>) => lastOrder.indexOf(writes)

/** What belongs to each account, in the order of their ids. */
export function byAccount<Item extends { accountId: string }>(items: readonly Item[]): [string, Item[]][] {
  const found = new Map<string, Item[]>()
  for (const item of items) {
    const known = found.get(item.accountId)
    if (known) known.push(item)
    else found.set(item.accountId, [item])
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1))
}
