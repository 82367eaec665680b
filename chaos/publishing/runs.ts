import { randomness } from '../../tests/support/randomness.ts'
import { brokenByShareKills, shareKills } from '../advocacy/share-kills.ts'
import { brokenByLoad, shareLoad } from '../advocacy/share-load.ts'
import { openNodes } from '../database/nodes.ts'
import { brokenByInboxKills, inboxKills } from '../inbox/inbox-kills.ts'
import { brokenByReplyKills, replyKills } from '../inbox/reply-kills.ts'
import { arrivalTimes } from '../inbox/times.ts'
import { buildPrograms } from '../programs.ts'
import { openDatabases } from './databases.ts'
import { publishKills } from './kills.ts'
import { publishLostAnswers } from './lost-answers.ts'
import { brokenByKills, brokenByLostAnswers, brokenByRestore, brokenByStops, slowTakeover, unseen } from './promises.ts'
import { publishRestore } from './restore.ts'
import type { RunOptions } from './run-options.ts'
import { endChildren } from './service-child.ts'
import { publishStops } from './stops.ts'

type Run = (options: RunOptions) => Promise<object & { broken: string[] }>

const everywhere = ['x', 'facebook', 'linkedInPage', 'linkedInMember', 'instagram', 'youtube', 'tiktok'] as const
/** Those that take the same words twice. */
const forgetful = ['facebook', 'instagram'] as const

const runs: Record<string, Run> = {
  async 'publish-kills'(options) {
    const report = await publishKills({ ...options, posts: 2_000, kills: 100 })
    // While nodes are killed nobody can take over at once.
    const slow = options.nodes ? [] : slowTakeover(report)
    return { ...report, broken: [...brokenByKills(report), ...slow] }
  },
  async 'publish-kills-control'(options) {
    const report = await publishKills({ ...options, posts: 400, kills: 20, blind: true })
    return { ...report, broken: unseen(report.doubled) }
  },
  async 'share-kills'(options) {
    const report = await shareKills({ ...options, shares: 1_000, advocates: 100, kills: 50 })
    return { ...report, broken: brokenByShareKills(report) }
  },
  async 'share-kills-control'(options) {
    const report = await shareKills({ ...options, shares: 200, advocates: 40, kills: 12, blind: true })
    return { ...report, broken: unseen(report.doubled) }
  },
  async 'reply-kills'(options) {
    const report = await replyKills({ ...options, replies: 1_000, pages: 50, kills: 50 })
    return { ...report, broken: brokenByReplyKills(report) }
  },
  async 'reply-kills-control'(options) {
    const report = await replyKills({ ...options, replies: 200, pages: 20, kills: 12, blind: true })
    return { ...report, broken: unseen(report.doubled) }
  },
  async 'share-load'(options) {
    const report = await shareLoad({ ...options, advocates: 500, variants: 40, seconds: 60 })
    return { ...report, broken: brokenByLoad(report) }
  },
  async 'inbox-kills'(options) {
    const report = await inboxKills({ ...options, activities: 10_000, profiles: 40, kills: 20 })
    return { ...report, broken: brokenByInboxKills(report) }
  },
  async 'inbox-times'(options) {
    const report = await arrivalTimes({ ...options, pushed: 100, silent: 12, pollSeconds: 10 })
    const slow = report.pushed.slowest > 5_000 ? [`a push took ${report.pushed.slowest} ms`] : []
    const late = report.silent.slowest > 10_000 ? [`asking took ${report.silent.slowest} ms`] : []
    return { ...report, broken: [...slow, ...late] }
  },
  async 'inbox-kills-control'(options) {
    const report = await inboxKills({ ...options, activities: 2_000, profiles: 10, kills: 4, naive: true })
    return { ...report, broken: unseen(report.wrongTimelines) }
  },
  async 'publish-lost-answers'(options) {
    const faults = ['lost answer', '504 after the effect', 'server error', 'answer after 222 s'] as const
    // The usual times: a late answer is to be waited for.
    const report = await publishLostAnswers({ ...options, networks: everywhere, faults, each: 5, looks: '15s,1m,5m' })
    return { ...report, broken: brokenByLostAnswers(report) }
  },
  async 'publish-lost-answers-control'(options) {
    const faults = ['lost answer', '504 after the effect'] as const
    const wanted = { networks: forgetful, faults, each: 5, looks: '2s,4s,8s', blind: true } as const
    const report = await publishLostAnswers({ ...options, ...wanted })
    return { ...report, broken: unseen(report.doubled) }
  },
  async 'publish-restore'(options) {
    const old = await publishRestore({ ...options, posts: 120, minutes: 120, watch: 20 })
    const young = await publishRestore({ ...options, posts: 60, minutes: 20, watch: 20 })
    return { old, young, broken: [...brokenByRestore(old), ...brokenByRestore(young)] }
  },
  async 'publish-restore-control'(options) {
    const report = await publishRestore({ ...options, posts: 120, minutes: 120, watch: 20, believing: true })
    return { ...report, broken: unseen(report.resent) }
  },
  async 'publish-stops'(options) {
    const report = await publishStops({ ...options, campaigns: 300 })
    return { ...report, broken: brokenByStops(report) }
  },
  async 'publish-stops-control'(options) {
    const report = await publishStops({ ...options, campaigns: 300, behind: true })
    return { ...report, broken: unseen(report.after) }
  },
}

/** The runs of the publishing engine, each on a database server of its own. */
export const publishingRuns = (seed: number, say: (line: string) => void): Record<string, () => Promise<unknown>> =>
  Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, () => alone(run, seed, say)]))

async function alone(run: Run, seed: number, say: (line: string) => void) {
  const [programs, databases] = await Promise.all([buildPrograms(), openDatabases()])
  try {
    return await run({ programs, databases, seed, say, nodes: await openNodes({ chance: randomness(seed), say }) })
  } finally {
    endChildren()
    await databases.stop()
  }
}
