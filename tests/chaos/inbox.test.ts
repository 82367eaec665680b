import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenByInboxKills, inboxKills } from '../../chaos/inbox/inbox-kills.ts'
import { buildPrograms, type Programs } from '../../chaos/programs.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { freshDatabase } from '../support/database/database.ts'
import { freshDemo } from './chaos-database.ts'

let programs: Programs
beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(endChildren)

const around = () => ({
  ...{ programs, databases: { fresh: freshDemo, empty: freshDatabase, stop: async () => {} }, seed: 7 },
  inside: true as const,
})

// A small part of `npm run chaos -- inbox-kills`; docs/reliability.md has the whole one.

test('what people did stands in the inbox once, though it is told in any order and twice and workers are killed', async () => {
  const report = await inboxKills({ ...around(), activities: 120, profiles: 3, kills: 2 })
  expect(brokenByInboxKills(report)).toEqual([])
})

test('the harness sees damage: who takes what is told as it comes has items too many and too few entries', async () => {
  const report = await inboxKills({ ...around(), activities: 120, profiles: 3, kills: 2, naive: true })
  expect(report.surplusItems).toBeGreaterThan(0)
  expect(report.wrongTimelines).toBeGreaterThan(0)
})
