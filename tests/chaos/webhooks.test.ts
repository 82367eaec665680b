import { afterAll, afterEach, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { killChildren } from '../../chaos/processes.ts'
import { webhookIsolation } from '../../chaos/webhook-isolation.ts'
import { startControlWorker, webhookKills, webhookRetryDelays } from '../../chaos/webhook-kills.ts'
import { deep } from '../support/randomness.ts'
import { chaosInstallation } from './chaos-database.ts'

const installation = chaosInstallation(webhookRetryDelays)
afterAll(killChildren)
// Receivers are not shared between tests.
afterEach(() =>
  ownerQuery(
    installation().databaseUrl,
    'delete from webhook_deliveries; delete from webhooks; delete from event_queue',
  ),
)

// A small part of each run of `npm run chaos`; docs/reliability.md records the full runs.

test('no event is missing when receivers fail and the worker is killed', async () => {
  const report = await webhookKills({ events: deep(30, 60), kills: deep(1, 2), seed: 7, opened: installation() })
  expect(report).toMatchObject({ missing: 0, changedIds: 0 })
  expect(report.failedCalls).toBeGreaterThan(deep(2, 8))
  // Lost leases of starved workers are not judged here.
  if (report.leasesLost === 0) expect(report.duplicates).toBeLessThanOrEqual(report.inFlightAtKills)
})

test('negative control: a worker that deletes deliveries before sending loses events', async () => {
  // Killed while it waits for responses.
  const damaging = { startWorker: startControlWorker, holdFailures: true }
  const report = await webhookKills({ events: 40, kills: 1, seed: 7, ...damaging, opened: installation() })
  expect(report.missing).toBeGreaterThan(0)
})

test('healthy receivers get every event while half of the receivers hang', async () => {
  const receivers = deep(20, 50)
  const report = await webhookIsolation({ receivers, rate: 1, warmUpSeconds: 2, seconds: 3, opened: installation() })
  expect(report).toMatchObject({ hung: receivers / 2, missing: 0 })
  // Hanging requests time out after 15 seconds and delay no others.
  expect(report.slowest).toBeLessThan(14_000)
  expect(report.mostSockets).toBeLessThanOrEqual(receivers * 4)
})
