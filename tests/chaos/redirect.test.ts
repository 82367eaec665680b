import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { buildPrograms, killChildren, type Programs } from '../../chaos/processes.ts'
import { redirectKills, startControlRedirector } from '../../chaos/redirect-kills.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/randomness.ts'

let programs: Programs
beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(killChildren)

const databases: Awaited<ReturnType<typeof freshDatabase>>[] = []
afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.drop()))
})

// A small part of each run of `npm run chaos`; docs/reliability.md records the full runs.

/** Each run has its own database. */
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

test('every confirmed redirect is stored once when redirectors are killed', async () => {
  const report = await redirectKills({ ...(await brief()), service: programs.service })
  expect(report).toMatchObject({ lost: 0, doubled: 0, writtenTwice: 0 })
  expect(report.answered).toBeGreaterThanOrEqual(deep(150, 600))
})

test('negative control: a redirector that responds before writing loses clicks', async () => {
  // Repeated, because a few kills may all happen when nothing is unwritten.
  let lost = 0
  for (let run = 0; run < 6 && lost === 0; run++)
    lost = (await redirectKills({ ...(await brief()), startRedirector: startControlRedirector })).lost
  expect(lost).toBeGreaterThan(0)
})
