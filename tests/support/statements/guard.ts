import { afterAll, expect } from 'vitest'
import { watchStatements } from '#kernel/database/statement-watch.ts'
import { breachesOf, type Entry, entryOf } from './book.ts'

/** In every file of tests: a statement that would not do on a cluster, wherever it was sent, fails the file. */
const sent = new Set<Entry>()
watchStatements((text) => sent.add(entryOf(text)))
afterAll(async () => {
  const heard = [...sent]
  sent.clear()
  expect(await breachesOf(heard)).toEqual([])
})
