import { afterAll, expect } from 'vitest'
import { watchLocks } from '#kernel/database/locks.ts'

/** In every file of tests: whatever transactions held against the order, wherever it was, fails the file. */
const disorders = new Set<string>()
const noteAll = () => watchLocks((disorder) => disorders.add(disorder))
noteAll()
afterAll(() => {
  const heard = [...disorders]
  disorders.clear()
  expect(heard).toEqual([])
})

/** What a planted transaction does against the order, which then fails nobody. */
export async function disordersOf(work: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = []
  watchLocks((disorder) => heard.push(disorder))
  try {
    await work()
  } finally {
    noteAll()
  }
  return heard
}
