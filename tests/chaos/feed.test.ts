import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { brokenByFeedKills, feedKills } from '../../chaos/feed/kills.ts'
import { buildPrograms, killChildren, type Programs } from '../../chaos/processes.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/randomness.ts'

let programs: Programs
beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(killChildren)

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeEach(async () => {
  database = await freshDatabase()
})
afterEach(() => database.drop())

// A small part of each run of `npm run chaos`; docs/reliability.md records the full runs.

const brief = () => ({
  accounts: 2,
  feeds: deep(16, 32),
  seed: 7,
  inProcess: true as const,
  databaseUrl: database.url,
  service: programs.service,
})

test('every feed receives exactly the visible changes when a process is killed and clients reconnect', async () => {
  const changes = deep(60, 120)
  const report = await feedKills({ ...brief(), changes, kills: 1, processes: 2, writers: 6 })
  expect(brokenByFeedKills(report)).toEqual([])
  expect(report.answered).toBe(changes)
  expect(report.toHear).toBeGreaterThan(2 * changes)
  expect(report.returns).toBeGreaterThan(3)
})

test('negative control: clients without a last event id miss changes, and entries without a scope leak', async () => {
  // Some clients disconnect for a while; no kill is needed.
  const quiet = { changes: 40, kills: 0, processes: 1, writers: 4 }
  const report = await feedKills({ ...brief(), ...quiet, forgetful: true, unscoped: true })
  expect(report.missed).toBeGreaterThan(0)
  expect(report.leaked).toBeGreaterThan(0)
})
