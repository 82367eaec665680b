import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildPrograms, type Programs } from '../../chaos/programs.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { reportKills } from '../../chaos/report-kills.ts'
import { startNaiveCounter } from '../../chaos/report-naive.ts'
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

const brief = () => ({ seed: 7, visitors: 4, pause: 20, databaseUrl: database.url, service: programs.service })

test('rollups are what a recount of the clicks gives, though who counts and rebuilds them is killed twice', async () => {
  const report = await reportKills({ ...brief(), kills: 2 })
  expect(report).toMatchObject({ differences: 0, changedByRebuild: 0, broken: [] })
  expect(report.clicks).toBeGreaterThan(200)
  expect(report.rows).toBeGreaterThan(10)
})

test('the harness sees damage: a counter that writes clicks before it counts them leaves figures behind', async () => {
  const report = await reportKills({ ...brief(), kills: 1, startCounter: startNaiveCounter })
  expect(report.differences).toBeGreaterThan(0)
})
