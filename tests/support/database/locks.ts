import { afterAll, expect, inject } from 'vitest'
import { watchLocks } from '#kernel/database/locks.ts'

/** In every test file: a lock that a transaction acquires against the lock order fails the file. */
const violations = new Set<string>()
const order = inject('lockOrder')
const watchAll = () => watchLocks({ order, report: (violation) => violations.add(violation) })
watchAll()
afterAll(() => {
  const found = [...violations]
  violations.clear()
  expect(found).toEqual([])
})

/** Violations of a deliberately wrong transaction, which then fail no test. */
export async function disordersOf(work: () => Promise<unknown>): Promise<string[]> {
  const found: string[] = []
  watchLocks({ order, report: (violation) => found.push(violation) })
  try {
    await work()
  } finally {
    watchAll()
  }
  return found
}
