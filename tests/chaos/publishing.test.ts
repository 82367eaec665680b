import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenByShareKills, shareKills } from '../../chaos/advocacy/share-kills.ts'
import { brokenByReplyKills, replyKills } from '../../chaos/inbox/reply-kills.ts'
import { buildPrograms, type Programs } from '../../chaos/programs.ts'
import { publishKills } from '../../chaos/publishing/kills.ts'
import { publishLostAnswers } from '../../chaos/publishing/lost-answers.ts'
import { brokenByKills, brokenByLostAnswers, brokenByRestore, brokenByStops } from '../../chaos/publishing/promises.ts'
import { type KeptBackup, keepBackup } from '../../chaos/publishing/restore.ts'
import { openScene, type Scene } from '../../chaos/publishing/scene.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { publishStops } from '../../chaos/publishing/stops.ts'
import { freshDatabase } from '../support/database/database.ts'
import { deep } from '../support/depth.ts'
import { freshDemo } from './chaos-database.ts'

let programs: Programs
beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(endChildren)

const around = () => ({
  programs,
  databases: { fresh: freshDemo, empty: freshDatabase, stop: async () => {} },
  seed: 7,
  inside: true as const,
})

/** One worker that dies when something is at its network and nobody has written that down. */
const once = { kills: 1, points: ['answer in'] }

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones.

describe('one installation, on which one worker follows the other', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene({ ...around(), workers: 1, environment: { CHORUS_PUBLISH_LOOKS: '1s,2s,4s' } })
  })
  afterAll(() => scene?.stop())
  const here = () => ({ ...around(), scene, workers: 1 })

  test('each post is out once though workers are killed in the middle of sending', async () => {
    const points = deep(['before intent', 'after intent'], ['before intent', 'after intent', 'bytes out'])
    const report = await publishKills({ ...here(), points, kills: points.length, posts: deep(12, 40) })
    expect(brokenByKills(report)).toEqual([])
  })

  test('the harness sees damage: who sends again what a killed worker was sending sends twice', async () => {
    const report = await publishKills({ ...here(), ...once, posts: 6, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })

  test('each share of an advocate is on its profile once, though a worker is killed', async () => {
    const report = await shareKills({ ...here(), ...once, shares: 6, advocates: 2 })
    expect(brokenByShareKills(report)).toEqual([])
  })

  test('the harness sees damage: who sends again what a killed worker was sharing shares twice', async () => {
    const report = await shareKills({ ...here(), ...once, shares: 4, advocates: 2, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })

  test('each answer to a conversation is there once, though a worker dies and networks lose their own', async () => {
    const report = await replyKills({ ...here(), ...once, points: ['bytes out'], replies: 6, pages: 2 })
    expect(brokenByReplyKills(report)).toEqual([])
  })

  test('the harness sees damage: who sends again what got no answer answers twice', async () => {
    // To the first one the network loses its answer: nobody has to be killed for that.
    const report = await replyKills({ ...here(), replies: 2, pages: 2, kills: 0, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })

  test('posts whose answer got lost are found, and those that did not get through are sent', async () => {
    const networks = ['x', 'facebook', 'linkedInPage', 'linkedInMember', 'instagram'] as const
    const faults = ['lost answer', '504 after the effect', 'server error'] as const
    const dealt = deep(true, false)
    const report = await publishLostAnswers({ ...here(), networks, faults, dealt, each: 1, looks: '1s,2s,4s' })
    expect(brokenByLostAnswers(report)).toEqual([])
    expect(report.unconfirmed).toBe(dealt ? 1 : faults.length)
  })

  test('the harness sees damage: who sends again what got no answer sends twice', async () => {
    const networks = ['facebook', 'instagram'] as const
    const faults = ['lost answer', '504 after the effect'] as const
    const wanted = { networks, faults, dealt: true, each: 1, looks: '1s,2s,4s', blind: true } as const
    expect((await publishLostAnswers({ ...here(), ...wanted })).doubled).toBeGreaterThan(0)
  })

  test('a campaign that was paused, archived or deleted sends nothing once that is answered', async () => {
    expect(brokenByStops(await publishStops({ ...here(), campaigns: 12 }))).toEqual([])
  })

  test('the harness sees damage: a campaign paused behind the back of the engine goes on sending', async () => {
    expect((await publishStops({ ...here(), campaigns: 3, behind: true })).after).toBeGreaterThan(0)
  })
})

describe('a backup is restored', () => {
  let kept: KeptBackup
  beforeAll(async () => {
    kept = await keepBackup({ ...around(), posts: 6, ages: [20, 120] })
  })
  afterAll(() => kept?.stop())

  test('a backup that is restored after twenty minutes, and again after two hours, sends nothing again', async () => {
    for (const minutes of [20, 120])
      expect(brokenByRestore(await kept.restored(minutes, { watch: 3, workers: 1 }))).toEqual([])
  })

  test('the harness sees damage: a service that believes an old backup sends again', async () => {
    const report = await kept.restored(140, { watch: 1, workers: 1, believing: true })
    expect(report.resent).toBeGreaterThan(0)
  })
})
