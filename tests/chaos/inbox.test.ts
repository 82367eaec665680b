import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenByInboxKills, type InboxKillReport, inboxKills } from '../../chaos/inbox/inbox-kills.ts'
import { buildPrograms, killChildren } from '../../chaos/processes.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/randomness.ts'
import { freshDemo } from './chaos-database.ts'

let report: InboxKillReport
let damage: Pick<InboxKillReport, 'surplusItems' | 'wrongTimelines'>
beforeAll(async () => {
  const databases = { fresh: freshDemo, empty: freshDatabase, stop: async () => {} }
  report = await inboxKills({
    programs: await buildPrograms(),
    databases,
    seed: 7,
    inside: true,
    activities: deep(80, 120),
    profiles: deep(2, 3),
    kills: deep(1, 2),
    onControlResult: (naive) => {
      damage = naive
    },
  })
})
afterAll(killChildren)

// A small part of `npm run chaos -- inbox-kills`; docs/reliability.md records the full run.

test('every activity is in the inbox once when pushes are reordered and repeated and workers are killed', () => {
  expect(brokenByInboxKills(report)).toEqual([])
})

test('negative control: a naive inbox has surplus items and missing entries', () => {
  expect(damage.surplusItems).toBeGreaterThan(0)
  expect(damage.wrongTimelines).toBeGreaterThan(0)
})
