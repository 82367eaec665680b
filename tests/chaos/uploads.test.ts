import { afterAll, expect, test } from 'vitest'
import { naiveDownloads } from '../../chaos/naive-download.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { downloadsAtOnce, uploadKills } from '../../chaos/upload-kills.ts'
import { uploadMemory } from '../../chaos/upload-memory.ts'
import { chaosDatabase } from './chaos-database.ts'

afterAll(endChildren)
const place = chaosDatabase()

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones.

test('of 24 downloads from a hostile server, killed twice, none has a wrong byte and none is stuck', async () => {
  const kills = 2
  const report = await uploadKills({ files: 24, lean: true, kills, seed: 7, small: place() })
  expect(report).toMatchObject({ wrong: 0, unexplained: 0, stuck: 0, lostHonest: 0 })
  expect(report.complete).toBeGreaterThanOrEqual(12)
  expect(report.failed).toBeGreaterThan(0)
  expect(report.fetchedAgain).toBeLessThanOrEqual(kills * downloadsAtOnce)
})

test('the harness sees damage: who believes such a server gets wrong bytes', async () => {
  expect((await naiveDownloads({ files: 8, lean: true, seed: 7 })).wrong).toBeGreaterThan(0)
})

test('a download of 130 MiB does not show in the memory of the worker', async () => {
  const { status, raised } = await uploadMemory({ bytes: 130 * 2 ** 20, small: place() })
  expect(status).toBe('complete')
  expect(raised).toBeLessThanOrEqual(64)
})
