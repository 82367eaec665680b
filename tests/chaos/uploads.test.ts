import { afterAll, expect, test } from 'vitest'
import { killChildren } from '../../chaos/processes.ts'
import { controlDownloads, downloadsAtOnce, uploadKills } from '../../chaos/upload-kills.ts'
import { uploadMemory } from '../../chaos/upload-memory.ts'
import { deep } from '../support/randomness.ts'
import { chaosInstallation } from './chaos-database.ts'

const installation = chaosInstallation()
afterAll(killChildren)

// A small part of each run of `npm run chaos`; docs/reliability.md records the full runs.

test('downloads from a hostile server have no wrong byte and none is stuck when workers are killed', async () => {
  const kills = deep(1, 2)
  const report = await uploadKills({ files: deep(16, 32), smallFiles: true, kills, seed: 7, opened: installation() })
  expect(report).toMatchObject({ wrong: 0, unexplained: 0, stuck: 0, lostHonest: 0 })
  expect(report.complete).toBeGreaterThanOrEqual(deep(8, 16))
  expect(report.failed).toBeGreaterThan(0)
  expect(report.fetchedAgain).toBeLessThanOrEqual(kills * downloadsAtOnce)
})

test('negative control: a client that trusts the server gets wrong bytes', async () => {
  expect((await controlDownloads({ files: 16, smallFiles: true, seed: 7 })).wrong).toBeGreaterThan(0)
})

test('a download of 100 MiB does not increase the memory of the worker', async () => {
  const { status, raised } = await uploadMemory({ bytes: 100 * 2 ** 20, opened: installation() })
  expect(status).toBe('complete')
  expect(raised).toBeLessThanOrEqual(64)
})
