import { afterEach, beforeEach, expect, test } from 'vitest'
import { redirectKills } from '../../chaos/redirect-kills.ts'
import { startNaiveRedirector } from '../../chaos/redirect-naive.ts'
import { freshDatabase } from '../support/database.ts'
import { endPrograms } from '../support/program.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeEach(async () => {
  database = await freshDatabase()
})
afterEach(async () => {
  await endPrograms()
  await database.drop()
})

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones.

test('every redirect that was answered is in the database once, though redirectors are killed twice', async () => {
  const report = await redirectKills({ kills: 2, seed: 7, visitors: 12, databaseUrl: database.url })
  expect(report).toMatchObject({ lost: 0, doubled: 0, writtenTwice: 0 })
  expect(report.answered).toBeGreaterThan(500)
})

test('the harness sees damage: a redirector that answers before it writes loses clicks', async () => {
  const report = await redirectKills({
    kills: 2,
    visitors: 12,
    seed: 7,
    databaseUrl: database.url,
    startRedirector: startNaiveRedirector,
  })
  expect(report.lost).toBeGreaterThan(0)
})
