import { afterAll, expect, test } from 'vitest'
import { startNaiveWorker } from '../../chaos/naive.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { webhookIsolation } from '../../chaos/webhook-isolation.ts'
import { webhookKills } from '../../chaos/webhook-kills.ts'
import { chaosDatabase } from './chaos-database.ts'

afterAll(endChildren)
const place = chaosDatabase()

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones.

test('of 60 events none is missing though receivers fail and the worker is killed twice', async () => {
  const report = await webhookKills({ events: 60, kills: 2, seed: 7, small: place() })
  expect(report).toMatchObject({ missing: 0, changedIds: 0 })
  expect(report.failedCalls).toBeGreaterThan(8)
  // A machine that lets a worker starve is no matter of this test.
  if (report.leasesLost === 0) expect(report.duplicates).toBeLessThanOrEqual(report.inFlightAtKills)
})

test('the harness sees damage: a worker that forgets before it sends loses events', async () => {
  const startWorker = startNaiveWorker
  const report = await webhookKills({ events: 40, kills: 1, seed: 7, startWorker, small: place() })
  expect(report.missing).toBeGreaterThan(0)
})

test('of 50 receivers half hang, and the others get everything', async () => {
  const report = await webhookIsolation({ receivers: 50, rate: 1, warmUpSeconds: 3, seconds: 4, small: place() })
  expect(report).toMatchObject({ hung: 25, missing: 0 })
  // A call that hangs is given up after 15 seconds, and nobody waited for one.
  expect(report.slowest).toBeLessThan(14_000)
  expect(report.mostSockets).toBeLessThanOrEqual(50 * 4)
})
