import { afterAll, expect, test } from 'vitest'
import { naiveDownloads } from '../../chaos/naive-download.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { downloadsAtOnce, uploadKills } from '../../chaos/upload-kills.ts'
import { uploadMemory } from '../../chaos/upload-memory.ts'
import { deep } from '../support/depth.ts'
import { chaosInstallation } from './chaos-database.ts'

const installation = chaosInstallation()
afterAll(endChildren)

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones.

test('of the downloads from a hostile server, killed meanwhile, none has a wrong byte and none is stuck', async () => {
  const kills = deep(1, 2)
  const report = await uploadKills({ files: deep(16, 32), lean: true, kills, seed: 7, opened: installation() })
  expect(report).toMatchObject({ wrong: 0, unexplained: 0, stuck: 0, lostHonest: 0 })
  expect(report.complete).toBeGreaterThanOrEqual(deep(8, 16))
  expect(report.failed).toBeGreaterThan(0)
  expect(report.fetchedAgain).toBeLessThanOrEqual(kills * downloadsAtOnce)
})

test('the harness sees damage: who believes such a server gets wrong bytes', async () => {
  expect((await naiveDownloads({ files: 16, lean: true, seed: 7 })).wrong).toBeGreaterThan(0)
})

test('a download of 100 MiB does not show in the memory of the worker', async () => {
  const { status, raised } = await uploadMemory({ bytes: 100 * 2 ** 20, opened: installation() })
  expect(status).toBe('complete')
  expect(raised).toBeLessThanOrEqual(64)
})
