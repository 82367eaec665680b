import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenByShareKills, shareKills } from '../../chaos/advocacy/share-kills.ts'
import { brokenByReplyKills, replyKills } from '../../chaos/inbox/reply-kills.ts'
import { buildPrograms, killChildren, type Programs } from '../../chaos/processes.ts'
import { openWorkerHarness, type WorkerHarness } from '../../chaos/publishing/harness.ts'
import { publishKills } from '../../chaos/publishing/kills.ts'
import { publishLostResponses } from '../../chaos/publishing/lost-responses.ts'
import { createBackup, type StoredBackup } from '../../chaos/publishing/restore.ts'
import { brokenByKills, brokenByLostAnswers, brokenByRestore, brokenByStops } from '../../chaos/publishing/runs.ts'
import { publishStops } from '../../chaos/publishing/stops.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/randomness.ts'
import { freshDemo } from './chaos-database.ts'

let programs: Programs
beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(killChildren)

const common = () => ({
  programs,
  databases: { fresh: freshDemo, empty: freshDatabase, stop: async () => {} },
  seed: 7,
  inside: true as const,
})

/** One worker that dies after the network accepted a post and before the result is stored. */
const once = { kills: 1, points: ['answer in'] }

// A small part of each run of `npm run chaos`; docs/reliability.md records the full runs.

describe('one installation with consecutive workers', () => {
  let workerHarness: WorkerHarness
  beforeAll(async () => {
    workerHarness = await openWorkerHarness({
      ...common(),
      workers: 1,
      environment: { CHORUS_PUBLISH_CONFIRM_AFTER: '1s,2s,4s' },
    })
  })
  afterAll(() => workerHarness?.stop())
  const withHarness = () => ({ ...common(), workerHarness, workers: 1 })

  test('each post is published once when workers are killed while sending', async () => {
    const points = deep(['before intent', 'after intent'], ['before intent', 'after intent', 'bytes out'])
    const report = await publishKills({ ...withHarness(), points, kills: points.length, posts: deep(12, 40) })
    expect(brokenByKills(report)).toEqual([])
  })

  test('negative control: resending posts of a killed worker publishes twice', async () => {
    const report = await publishKills({ ...withHarness(), ...once, posts: 6, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })

  test('each share is on its profile once when a worker is killed', async () => {
    const report = await shareKills({ ...withHarness(), ...once, shares: 6, advocates: 2 })
    expect(brokenByShareKills(report)).toEqual([])
  })

  test('negative control: resending shares of a killed worker publishes twice', async () => {
    const report = await shareKills({ ...withHarness(), ...once, shares: 4, advocates: 2, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })

  test('each reply exists once when a worker dies and responses are lost', async () => {
    const report = await replyKills({ ...withHarness(), ...once, points: ['bytes out'], replies: 6, pages: 2 })
    expect(brokenByReplyKills(report)).toEqual([])
  })

  test('negative control: resending unconfirmed replies replies twice', async () => {
    // The response to the first reply is lost; no kill is needed.
    const report = await replyKills({ ...withHarness(), replies: 2, pages: 2, kills: 0, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })

  test('posts with lost responses are found, and posts that did not arrive are sent', async () => {
    const networks = ['x', 'facebook', 'linkedInPage', 'linkedInMember', 'instagram'] as const
    const faults = ['lost answer', '504 after the effect', 'server error'] as const
    const dealt = deep(true, false)
    const report = await publishLostResponses({ ...withHarness(), networks, faults, dealt, each: 1, looks: '1s,2s,4s' })
    expect(brokenByLostAnswers(report)).toEqual([])
    expect(report.unconfirmed).toBe(dealt ? 1 : faults.length)
  })

  test('negative control: resending unconfirmed posts publishes twice', async () => {
    const networks = ['facebook', 'instagram'] as const
    const faults = ['lost answer', '504 after the effect'] as const
    const wanted = { networks, faults, dealt: true, each: 1, looks: '1s,2s,4s', blind: true } as const
    expect((await publishLostResponses({ ...withHarness(), ...wanted })).doubled).toBeGreaterThan(0)
  })

  test('a campaign publishes nothing after a confirmed pause, archive or deletion', async () => {
    expect(brokenByStops(await publishStops({ ...withHarness(), campaigns: 12 }))).toEqual([])
  })

  test('negative control: a campaign paused directly in the database keeps publishing', async () => {
    expect((await publishStops({ ...withHarness(), campaigns: 3, behind: true })).after).toBeGreaterThan(0)
  })
})

describe('restoring a backup', () => {
  let backup: StoredBackup
  beforeAll(async () => {
    backup = await createBackup({ ...common(), posts: 6, ages: [20, 120] })
  })
  afterAll(() => backup?.stop())

  test('a backup restored after 20 minutes and again after two hours republishes nothing', async () => {
    for (const minutes of [20, 120])
      expect(brokenByRestore(await backup.restored(minutes, { watch: 3, workers: 1 }))).toEqual([])
  })

  test('negative control: a service that treats an old backup as current republishes', async () => {
    const report = await backup.restored(140, { watch: 1, workers: 1, believing: true })
    expect(report.resent).toBeGreaterThan(0)
  })
})
