import { afterAll, expect, test } from 'vitest'
import { naiveDownloads } from '../../chaos/naive-download.ts'
import { downloadsAtOnce, uploadKills } from '../../chaos/upload-kills.ts'
import { uploadMemory } from '../../chaos/upload-memory.ts'
import { endPrograms } from '../support/program.ts'

afterAll(endPrograms)

// A tenth of each run of `npm run chaos`; docs/reliability.md has the whole ones.

test('of 30 downloads from a hostile server, killed three times, none has a wrong byte and none is stuck', async () => {
  const kills = 3
  const report = await uploadKills({ files: 30, kills, seed: 7 })
  expect(report).toMatchObject({ wrong: 0, unexplained: 0, stuck: 0, lostHonest: 0 })
  expect(report.complete).toBeGreaterThanOrEqual(15)
  expect(report.failed).toBeGreaterThan(0)
  expect(report.fetchedAgain).toBeLessThanOrEqual(kills * downloadsAtOnce)
}, 240_000)

test('the harness sees damage: who believes such a server gets wrong bytes', async () => {
  expect((await naiveDownloads({ files: 12, seed: 7 })).wrong).toBeGreaterThan(0)
}, 60_000)

test('a download of 400 MiB does not show in the memory of the worker', async () => {
  const { status, raised } = await uploadMemory({ bytes: 400 * 2 ** 20 })
  expect(status).toBe('complete')
  expect(raised).toBeLessThanOrEqual(64)
}, 120_000)
