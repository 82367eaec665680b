import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenByShareKills, shareKills } from '../../chaos/advocacy/share-kills.ts'
import { brokenByReplyKills, replyKills } from '../../chaos/inbox/reply-kills.ts'
import { buildPrograms, type Programs } from '../../chaos/programs.ts'
import { publishKills } from '../../chaos/publishing/kills.ts'
import { publishLostAnswers } from '../../chaos/publishing/lost-answers.ts'
import { brokenByKills, brokenByLostAnswers, brokenByRestore, brokenByStops } from '../../chaos/publishing/promises.ts'
import { publishRestore } from '../../chaos/publishing/restore.ts'
import { endChildren } from '../../chaos/publishing/service-child.ts'
import { publishStops } from '../../chaos/publishing/stops.ts'
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

/** One worker that dies when something is at its network and nobody has written that down. */
const once = { kills: 1, workers: 1, points: ['answer in'] }

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones. Each beside its control, because both mostly wait.

describe('workers are killed', () => {
  test.concurrent('of 40 posts each is out once though workers are killed three times in the middle of sending', async () => {
    expect(brokenByKills(await publishKills({ ...around(), posts: 40, kills: 3, looks: '1s,2s,4s' }))).toEqual([])
  })

  test.concurrent('the harness sees damage: who sends again what a killed worker was sending sends twice', async () => {
    const report = await publishKills({ ...around(), ...once, posts: 10, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })
})

describe('advocates share while workers are killed', () => {
  test.concurrent('each share is on its profile once', async () => {
    const report = await shareKills({ ...around(), ...once, shares: 12, advocates: 4 })
    expect(brokenByShareKills(report)).toEqual([])
  })

  test.concurrent('the harness sees damage: who sends again what a killed worker was sending shares twice', async () => {
    const report = await shareKills({ ...around(), ...once, shares: 6, advocates: 3, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })
})

describe('conversations are answered while workers are killed', () => {
  test.concurrent('each answer is there once, though workers die and networks lose their own', async () => {
    const report = await replyKills({ ...around(), ...once, points: ['bytes out'], replies: 12, pages: 4 })
    expect(brokenByReplyKills(report)).toEqual([])
  })

  test.concurrent('the harness sees damage: who sends again what got no answer answers twice', async () => {
    // To the first one the network loses its answer: nobody has to be killed for that.
    const report = await replyKills({ ...around(), replies: 4, pages: 2, kills: 0, workers: 1, blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })
})

describe('answers get lost', () => {
  test.concurrent('posts whose answer got lost are found, and those that did not get through are sent', async () => {
    const networks = ['x', 'facebook', 'linkedInPage', 'linkedInMember', 'instagram'] as const
    const faults = ['lost answer', '504 after the effect', 'server error'] as const
    const report = await publishLostAnswers({ ...around(), networks, faults, each: 1, looks: '1s,2s,4s' })
    expect(brokenByLostAnswers(report)).toEqual([])
    expect(report.unconfirmed).toBe(faults.length)
  })

  test.concurrent('the harness sees damage: who sends again what got no answer sends twice', async () => {
    const networks = ['facebook', 'instagram'] as const
    const faults = ['lost answer', '504 after the effect'] as const
    const report = await publishLostAnswers({ ...around(), networks, faults, each: 1, looks: '2s,4s,8s', blind: true })
    expect(report.doubled).toBeGreaterThan(0)
  })
})

describe('a backup is restored', () => {
  test.concurrent('a backup that is restored after two hours, or after twenty minutes, sends nothing again', async () => {
    const ages = [120, 20]
    const runs = ages.map((minutes) => publishRestore({ ...around(), posts: 6, minutes, watch: 3 }))
    for (const report of await Promise.all(runs)) expect(brokenByRestore(report)).toEqual([])
  })

  test.concurrent('the harness sees damage: a service that believes an old backup sends again', async () => {
    const report = await publishRestore({ ...around(), posts: 6, minutes: 20, watch: 1, believing: true })
    expect(report.resent).toBeGreaterThan(0)
  })
})

describe('campaigns are stopped', () => {
  test.concurrent('a campaign that was paused, archived or deleted sends nothing once that is answered', async () => {
    expect(brokenByStops(await publishStops({ ...around(), campaigns: 12 }))).toEqual([])
  })

  test.concurrent('the harness sees damage: a campaign paused behind the back of the engine goes on sending', async () => {
    expect((await publishStops({ ...around(), campaigns: 6, behind: true })).after).toBeGreaterThan(0)
  })
})
