import { afterAll, expect } from 'vitest'
import { watchStatements } from '#kernel/database/statement/statement.ts'
import { keepParameters, tellShards } from './shards.ts'
import { breachesOf, type Entry, entryOf } from './statement-log.ts'

/** In every test file: a statement that would fail on a cluster, whatever sent it, fails the file. */
const sent = new Set<Entry>()
watchStatements((text, parameters) => {
  sent.add(entryOf(text))
  keepParameters(text, parameters)
})
afterAll(async () => {
  const recorded = [...sent]
  sent.clear()
  await tellShards(recorded)
  expect(await breachesOf(recorded)).toEqual([])
})
