import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenByInboxKills, type InboxKillReport, inboxKills } from '../../chaos/inbox/inbox-kills.ts'
import { buildPrograms } from '../../chaos/programs.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/depth.ts'
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
    hearNaive: (naive) => {
      damage = naive
    },
  })
})
afterAll(endChildren)

// A small part of `npm run chaos -- inbox-kills`; docs/reliability.md has the whole one.

test('what people did stands in the inbox once, though it is told in any order and twice and workers are killed', () => {
  expect(brokenByInboxKills(report)).toEqual([])
})

test('the harness sees damage: who takes what is told as it comes has items too many and too few entries', () => {
  expect(damage.surplusItems).toBeGreaterThan(0)
  expect(damage.wrongTimelines).toBeGreaterThan(0)
})
