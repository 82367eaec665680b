import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { feedKills } from '../../chaos/feed/kills.ts'
import { brokenByFeedKills } from '../../chaos/feed/runs.ts'
import { buildPrograms, type Programs } from '../../chaos/programs.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { freshDatabase } from '../support/database/database.ts'

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
  ...{ accounts: 2, feeds: 32, changes: 120, kills: 1, seed: 7, processes: 2, writers: 6, inside: true as const },
  ...{ databaseUrl: database.url, service: programs.service },
})

test('every feed hears of all that it may see and of nothing else, though a process is killed and others hang up', async () => {
  const report = await feedKills(brief())
  expect(brokenByFeedKills(report)).toEqual([])
  expect([report.answered, report.toHear > 500, report.returns > 5]).toEqual([120, true, true])
})

test('the harness sees damage: who forgets what they heard misses some, and entries that forget who may see them leak', async () => {
  const report = await feedKills({ ...brief(), forgetful: true, unscoped: true })
  expect(report.missed).toBeGreaterThan(0)
  expect(report.leaked).toBeGreaterThan(0)
})
