import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectedNetworks } from '#networks/manifests.ts'
import { simulateDay } from '../../bench/network-day/day.ts'
import { freshDatabase } from '../support/database/database.ts'

let own: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  own = await freshDatabase()
})
afterAll(() => own.drop())

test('two busy hours stay within the limits of every network, with all posts and replies on time', async () => {
  const day = { networks: connectedNetworks, profiles: 3, hours: 2, busy: true, databaseUrl: own.url }
  for (const result of await simulateDay(day)) {
    const { network, refused, failed, missed, posts, replies, latestSeconds } = result
    expect({ network, refused, failed, missed, posts, replies }).toEqual({
      network,
      refused: 0,
      failed: 0,
      missed: 0,
      posts: 12,
      replies: 3,
    })
    // Networks process videos for ten seconds.
    expect(latestSeconds, network).toBeLessThanOrEqual(15)
  }
})

test('X throttles polling at a fixed interval of 51 seconds, but not the paced polling', async () => {
  const day = { networks: ['Twitter'] as const, profiles: 1, hours: 1, busy: false, databaseUrl: own.url }
  const [fixed] = await simulateDay({ ...day, fixedMs: 51_000 })
  expect(fixed?.refused).toBeGreaterThan(0)
  const [paced] = await simulateDay(day)
  expect(paced?.refused).toBe(0)
  expect(paced?.calls).toBeLessThan((fixed?.calls ?? 0) / 3)
})
