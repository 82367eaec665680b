import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { feedKills } from '../../chaos/feed/kills.ts'
import { brokenByFeedKills } from '../../chaos/feed/runs.ts'
import { buildPrograms, type Programs } from '../../chaos/programs.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/depth.ts'

let programs: Programs
beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(endChildren)

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeEach(async () => {
  database = await freshDatabase()
})
afterEach(() => database.drop())

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones.

const brief = () => ({
  accounts: 2,
  feeds: deep(16, 32),
  seed: 7,
  inside: true as const,
  databaseUrl: database.url,
  service: programs.service,
})

test('every feed hears of all that it may see and of nothing else, though a process is killed and others hang up', async () => {
  const changes = deep(60, 120)
  const report = await feedKills({ ...brief(), changes, kills: 1, processes: 2, writers: 6 })
  expect(brokenByFeedKills(report)).toEqual([])
  expect(report.answered).toBe(changes)
  expect(report.toHear).toBeGreaterThan(2 * changes)
  expect(report.returns).toBeGreaterThan(3)
})

test('the harness sees damage: who forgets what they heard misses some, and entries that forget who may see them leak', async () => {
  // Some are away for a while: nobody has to be killed for that.
  const quiet = { changes: 40, kills: 0, processes: 1, writers: 4 }
  const report = await feedKills({ ...brief(), ...quiet, forgetful: true, unscoped: true })
  expect(report.missed).toBeGreaterThan(0)
  expect(report.leaked).toBeGreaterThan(0)
})
