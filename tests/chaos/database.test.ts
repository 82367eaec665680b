import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseInstallation, openDatabaseInstallation } from '../../chaos/database/installation.ts'
import { databaseKills } from '../../chaos/database/kills.ts'
import { chorusHere } from '../support/command-line.ts'
import { endPrograms } from '../support/program.ts'
import { deep } from '../support/randomness.ts'
import { freshDemo } from './chaos-database.ts'

let place: DatabaseInstallation
beforeAll(async () => {
  const { url, drop, demo } = await freshDemo()
  const fill = (dataFolder: string) => chorusHere(['move', '--from', url], { CHORUS_DATA_DIR: dataFolder })
  place = await openDatabaseInstallation(1, false, { fill, keyring: demo.keyring })
  await drop()
})
afterAll(async () => {
  await place?.stop()
  await endPrograms()
})

// A tenth of each run of `npm run chaos`; docs/reliability.md records the full runs.

test('every confirmed write exists once when the database is killed twice and frozen once', async () => {
  const troubles = { kills: 2, freezes: 1, freezeSeconds: 20 }
  const people = { clients: deep(2, 4), visitors: deep(1, 2), probeIntervalMs: deep(500, 100) }
  const report = await databaseKills({ installation: place, ...troubles, ...people, seed: 7 })
  expect(report).toMatchObject({
    writes: { lost: 0, doubled: 0 },
    posts: { lost: 0, doubled: 0 },
    clicks: { lost: 0, doubled: 0, writtenTwice: 0 },
    reads: { vanished: 0 },
    exits: 0,
  })
  expect(report.writes.answered).toBeGreaterThan(deep(5, 11))
  expect(Object.keys(report.setbacks).filter((name) => name !== '503' && name !== '409')).toEqual([])
})

// Last test: it leaves the database unsafe.
test('negative control: a database that confirms commits before they are on disk loses writes', async () => {
  const report = await databaseKills({
    installation: place,
    kills: 1,
    freezes: 0,
    clients: 6,
    visitors: 2,
    probeIntervalMs: 500,
    seed: 8,
    forgetful: true,
  })
  expect(report.writes.lost + report.reads.vanished + report.clicks.lost).toBeGreaterThan(0)
})
