import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPrograms, killChildren } from '../../chaos/processes.ts'
import { type ClickSetup, openClickSetup, reportKills, startControlCounter } from '../../chaos/report-kills.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/randomness.ts'

let service: string
let database: Awaited<ReturnType<typeof freshDatabase>>
let clicked: ClickSetup
beforeAll(async () => {
  service = (await buildPrograms()).service
  database = await freshDatabase()
  clicked = await openClickSetup(database.url, service)
})
afterAll(async () => {
  await clicked?.stop()
  killChildren()
  await database?.drop()
})

// A small part of each run of `npm run chaos`; docs/reliability.md records the full runs.

const brief = () => ({ seed: 7, clicksEach: deep(60, 100), visitors: 4, pause: 20, setup: clicked, service })

test('rollups equal a recount of the clicks when the counting worker is killed', async () => {
  const report = await reportKills({ ...brief(), kills: deep(1, 2), rebuildEvery: 1 })
  expect(report).toMatchObject({ differences: 0, changedByRebuild: 0, broken: [] })
  expect(report.clicks).toBeGreaterThanOrEqual(deep(60, 200))
  expect(report.rows).toBeGreaterThan(10)
})

// Last test: it leaves wrong counters.
test('negative control: a counter that writes clicks before counting them loses counts', async () => {
  const report = await reportKills({ ...brief(), kills: 1, startCounter: startControlCounter })
  expect(report.differences).toBeGreaterThan(0)
})
