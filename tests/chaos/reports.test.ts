import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPrograms } from '../../chaos/programs.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { type Clicked, openClicked, reportKills } from '../../chaos/report-kills.ts'
import { startNaiveCounter } from '../../chaos/report-naive.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/depth.ts'

let service: string
let database: Awaited<ReturnType<typeof freshDatabase>>
let clicked: Clicked
beforeAll(async () => {
  service = (await buildPrograms()).service
  database = await freshDatabase()
  clicked = await openClicked(database.url, service)
})
afterAll(async () => {
  await clicked?.stop()
  endChildren()
  await database?.drop()
})

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones.

const brief = () => ({ seed: 7, clicksEach: deep(60, 100), visitors: 4, pause: 20, clicked, service })

test('rollups are what a recount of the clicks gives, though who counts and rebuilds them is killed', async () => {
  const report = await reportKills({ ...brief(), kills: deep(1, 2), rebuildEvery: 1 })
  expect(report).toMatchObject({ differences: 0, changedByRebuild: 0, broken: [] })
  expect(report.clicks).toBeGreaterThanOrEqual(deep(60, 200))
  expect(report.rows).toBeGreaterThan(10)
})

// The last one: from here on figures are wrong.
test('the harness sees damage: a counter that writes clicks before it counts them leaves figures behind', async () => {
  const report = await reportKills({ ...brief(), kills: 1, startCounter: startNaiveCounter })
  expect(report.differences).toBeGreaterThan(0)
})
