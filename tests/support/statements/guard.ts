import { afterAll, expect } from 'vitest'
import { watchStatements } from '#kernel/database/statement/statement.ts'
import { explainShards, keepParameters } from './shards.ts'
import { type Entry, entryOf, violationsOf } from './statement-log.ts'

/** In every test file: a statement that would fail on a cluster, whatever sent it, fails the file. */
const sent = new Set<Entry>()
watchStatements((text, parameters) => {
  sent.add(entryOf(text))
  keepParameters(text, parameters)
})
afterAll(async () => {
  const recorded = [...sent]
  sent.clear()
  await explainShards(recorded)
  expect(await violationsOf(recorded)).toEqual([])
})
