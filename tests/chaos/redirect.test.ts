import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { buildPrograms, type Programs } from '../../chaos/programs.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { redirectKills } from '../../chaos/redirect-kills.ts'
import { startNaiveRedirector } from '../../chaos/redirect-naive.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/depth.ts'

let programs: Programs
beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(endChildren)

const databases: Awaited<ReturnType<typeof freshDatabase>>[] = []
afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.drop()))
})

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones.

/** Each run has a database of its own. */
async function brief() {
  const database = await freshDatabase()
  databases.push(database)
  return {
    kills: deep(1, 2),
    processes: deep(1, 2),
    clicks: deep(150, 300),
    seed: 7,
    visitors: 12,
    pause: 20,
    databaseUrl: database.url,
  }
}

test('every redirect that was answered is in the database once, though redirectors are killed', async () => {
  const report = await redirectKills({ ...(await brief()), service: programs.service })
  expect(report).toMatchObject({ lost: 0, doubled: 0, writtenTwice: 0 })
  expect(report.answered).toBeGreaterThanOrEqual(deep(150, 600))
})

test('the harness sees damage: a redirector that answers before it writes loses clicks', async () => {
  // A few kills may all come when nothing is unwritten, so they are repeated until one does not.
  let lost = 0
  for (let run = 0; run < 6 && lost === 0; run++)
    lost = (await redirectKills({ ...(await brief()), startRedirector: startNaiveRedirector })).lost
  expect(lost).toBeGreaterThan(0)
})
