import { afterAll, afterEach, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { startNaiveWorker } from '../../chaos/naive.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { webhookIsolation } from '../../chaos/webhook-isolation.ts'
import { webhookKills, webhookWaits } from '../../chaos/webhook-kills.ts'
import { deep } from '../support/depth.ts'
import { chaosInstallation } from './chaos-database.ts'

const installation = chaosInstallation(webhookWaits)
afterAll(endChildren)
// The receivers of one test are not there for the next.
afterEach(() =>
  ownerQuery(
    installation().databaseUrl,
    'delete from webhook_deliveries; delete from webhooks; delete from event_queue',
  ),
)

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones.

test('of many events none is missing though receivers fail and the worker is killed', async () => {
  const report = await webhookKills({ events: deep(30, 60), kills: deep(1, 2), seed: 7, opened: installation() })
  expect(report).toMatchObject({ missing: 0, changedIds: 0 })
  expect(report.failedCalls).toBeGreaterThan(deep(2, 8))
  // A machine that lets a worker starve is no matter of this test.
  if (report.leasesLost === 0) expect(report.duplicates).toBeLessThanOrEqual(report.inFlightAtKills)
})

test('the harness sees damage: a worker that forgets before it sends loses events', async () => {
  // Killed while it waits for answers, whenever that is.
  const damaging = { startWorker: startNaiveWorker, holds: true }
  const report = await webhookKills({ events: 40, kills: 1, seed: 7, ...damaging, opened: installation() })
  expect(report.missing).toBeGreaterThan(0)
})

test('half of the receivers hang, and the others get everything', async () => {
  const receivers = deep(20, 50)
  const report = await webhookIsolation({ receivers, rate: 1, warmUpSeconds: 2, seconds: 3, opened: installation() })
  expect(report).toMatchObject({ hung: receivers / 2, missing: 0 })
  // A call that hangs is given up after 15 seconds, and nobody waited for one.
  expect(report.slowest).toBeLessThan(14_000)
  expect(report.mostSockets).toBeLessThanOrEqual(receivers * 4)
})
