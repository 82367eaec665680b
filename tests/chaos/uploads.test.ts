import { afterAll, expect, test } from 'vitest'
import { naiveDownloads } from '../../chaos/naive-download.ts'
import { downloadsAtOnce, uploadKills } from '../../chaos/upload-kills.ts'
import { uploadMemory } from '../../chaos/upload-memory.ts'
import { chaosDatabase } from '../support/chaos-database.ts'
import { endPrograms } from '../support/program.ts'

afterAll(endPrograms)
const place = chaosDatabase()

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones.

test('of 24 downloads from a hostile server, killed twice, none has a wrong byte and none is stuck', async () => {
  const kills = 2
  const report = await uploadKills({ files: 24, kills, seed: 7, environment: place.environment() })
  expect(report).toMatchObject({ wrong: 0, unexplained: 0, stuck: 0, lostHonest: 0 })
  expect(report.complete).toBeGreaterThanOrEqual(12)
  expect(report.failed).toBeGreaterThan(0)
  expect(report.fetchedAgain).toBeLessThanOrEqual(kills * downloadsAtOnce)
})

test('the harness sees damage: who believes such a server gets wrong bytes', async () => {
  expect((await naiveDownloads({ files: 8, seed: 7 })).wrong).toBeGreaterThan(0)
})

test('a download of 200 MiB does not show in the memory of the worker', async () => {
  const { status, raised } = await uploadMemory({ bytes: 200 * 2 ** 20, environment: place.environment() })
  expect(status).toBe('complete')
  expect(raised).toBeLessThanOrEqual(64)
})
