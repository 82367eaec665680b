import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenByShareKills, shareKills } from '../../chaos/advocacy/share-kills.ts'
import { brokenByReplyKills, replyKills } from '../../chaos/inbox/reply-kills.ts'
import { buildPrograms, killChildren, type Programs } from '../../chaos/processes.ts'
import { openWorkerHarness, type WorkerHarness } from '../../chaos/publishing/harness.ts'
import { publishKills } from '../../chaos/publishing/kills.ts'
import { publishLostResponses } from '../../chaos/publishing/lost-responses.ts'
import { createBackup, type StoredBackup } from '../../chaos/publishing/restore.ts'
import { brokenByKills, brokenByLostResponses, brokenByRestore, brokenByStops } from '../../chaos/publishing/runs.ts'
import { publishStops } from '../../chaos/publishing/stops.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/randomness.ts'
import { freshDemo } from './chaos-database.ts'

let programs: Programs
beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(killChildren)

const around = () => ({
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
      ...around(),
      workers: 1,
      environment: { CHORUS_PUBLISH_CONFIRM_AFTER: '1s,2s,4s' },
    })
  })
  afterAll(() => workerHarness?.stop())
  const here = () => ({ ...around(), workerHarness, workers: 1 })

  test('each post is published once when workers are killed while sending', async () => {
    const points = deep(['before intent', 'after intent'], ['before intent', 'after intent', 'bytes out'])
    const report = await publishKills({ ...here(), points, kills: points.length, posts: deep(12, 40) })
    expect(brokenByKills(report)).toEqual([])
  })

  test('negative control: resending posts of a killed worker publishes twice', async () => {
    const report = await publishKills({ ...here(), ...once, posts: 6, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })

  test('each share is on its profile once when a worker is killed', async () => {
    const report = await shareKills({ ...here(), ...once, shares: 6, advocates: 2 })
    expect(brokenByShareKills(report)).toEqual([])
  })

  test('negative control: resending shares of a killed worker publishes twice', async () => {
    const report = await shareKills({ ...here(), ...once, shares: 4, advocates: 2, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })

  test('each reply exists once when a worker dies and responses are lost', async () => {
    const report = await replyKills({ ...here(), ...once, points: ['bytes out'], replies: 6, pages: 2 })
    expect(brokenByReplyKills(report)).toEqual([])
  })

  test('negative control: resending unconfirmed replies replies twice', async () => {
    // The response to the first reply is lost; no kill is needed.
    const report = await replyKills({ ...here(), replies: 2, pages: 2, kills: 0, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })

  test('posts with lost responses are found, and posts that did not arrive are sent', async () => {
    const networks = ['x', 'facebook', 'linkedInPage', 'linkedInMember', 'instagram'] as const
    const faults = ['lost answer', '504 after the effect', 'server error'] as const
    const dealt = deep(true, false)
    const report = await publishLostResponses({
      ...here(),
      networks,
      faults,
      oneFaultPerNetwork: dealt,
      each: 1,
      confirmAfter: '1s,2s,4s',
    })
    expect(brokenByLostResponses(report)).toEqual([])
    expect(report.unconfirmed).toBe(dealt ? 1 : faults.length)
  })

  test('negative control: resending unconfirmed posts publishes twice', async () => {
    const networks = ['facebook', 'instagram'] as const
    const faults = ['lost answer', '504 after the effect'] as const
    const wanted = {
      networks,
      faults,
      oneFaultPerNetwork: true,
      each: 1,
      confirmAfter: '1s,2s,4s',
      blind: true,
    } as const
    expect((await publishLostResponses({ ...here(), ...wanted })).doubled).toBeGreaterThan(0)
  })

  test('a campaign publishes nothing after a confirmed pause, archive or deletion', async () => {
    expect(brokenByStops(await publishStops({ ...here(), campaigns: 12 }))).toEqual([])
  })

  test('negative control: a campaign paused directly in the database keeps publishing', async () => {
    expect((await publishStops({ ...here(), campaigns: 3, bypassApi: true })).after).toBeGreaterThan(0)
  })
})

describe('restoring a backup', () => {
  let kept: StoredBackup
  beforeAll(async () => {
    kept = await createBackup({ ...around(), posts: 6, ages: [20, 120] })
  })
  afterAll(() => kept?.stop())

  test('a backup restored after 20 minutes and again after two hours republishes nothing', async () => {
    for (const minutes of [20, 120])
      expect(brokenByRestore(await kept.restored(minutes, { watch: 3, workers: 1 }))).toEqual([])
  })

  test('negative control: a service that treats an old backup as current republishes', async () => {
    const report = await kept.restored(140, { watch: 1, workers: 1, trustBackup: true })
    expect(report.resent).toBeGreaterThan(0)
  })
})
