import { randomness } from '../../tests/support/randomness.ts'
import { brokenByShareKills, shareKills } from '../advocacy/share-kills.ts'
import { brokenByLoad, shareLoad } from '../advocacy/share-load.ts'
import { openNodes } from '../database/victims.ts'
import { openDatabases } from '../databases.ts'
import { arrivalTimes, brokenByInboxKills, inboxKills } from '../inbox/inbox-kills.ts'
import { brokenByReplyKills, replyKills } from '../inbox/reply-kills.ts'
import { buildPrograms, killChildren } from '../processes.ts'
import type { RunOptions } from './harness.ts'
import { type KillReport, publishKills } from './kills.ts'
import { type LostReport, publishLostResponses } from './lost-responses.ts'
import { publishRestore, type RestoreReport } from './restore.ts'
import { publishStops, type StopReport } from './stops.ts'

type Run = (options: RunOptions) => Promise<object & { broken: string[] }>

const allNetworks = ['x', 'facebook', 'linkedInPage', 'linkedInMember', 'instagram', 'youtube', 'tiktok'] as const
/** Networks that accept duplicate texts. */
const duplicateNetworks = ['facebook', 'instagram'] as const

const runs: Record<string, Run> = {
  async 'publish-kills'(options) {
    const report = await publishKills({ ...options, posts: 2_000, kills: 100 })
    // Takeover times are not meaningful while nodes are killed.
    const slow = options.nodes ? [] : slowTakeover(report)
    return { ...report, broken: [...brokenByKills(report), ...slow] }
  },
  async 'publish-kills-control'(options) {
    const report = await publishKills({ ...options, posts: 400, kills: 20, blind: true })
    return { ...report, broken: requireDamage(report.doubled) }
  },
  async 'share-kills'(options) {
    const report = await shareKills({ ...options, shares: 1_000, advocates: 100, kills: 50 })
    return { ...report, broken: brokenByShareKills(report) }
  },
  async 'share-kills-control'(options) {
    const report = await shareKills({ ...options, shares: 200, advocates: 40, kills: 12, blind: true })
    return { ...report, broken: requireDamage(report.doubled) }
  },
  async 'reply-kills'(options) {
    const report = await replyKills({ ...options, replies: 1_000, pages: 50, kills: 50 })
    return { ...report, broken: brokenByReplyKills(report) }
  },
  async 'reply-kills-control'(options) {
    const report = await replyKills({ ...options, replies: 200, pages: 20, kills: 12, blind: true })
    return { ...report, broken: requireDamage(report.doubled) }
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
    return { ...report, broken: requireDamage(report.wrongTimelines) }
  },
  async 'publish-lost-answers'(options) {
    const faults = ['lost answer', '504 after the effect', 'server error', 'answer after 222 s'] as const
    // Production times, so that late responses are awaited.
    const report = await publishLostResponses({
      ...options,
      networks: allNetworks,
      faults,
      each: 5,
      confirmAfter: '15s,1m,5m',
    })
    return { ...report, broken: brokenByLostResponses(report) }
  },
  async 'publish-lost-answers-control'(options) {
    const faults = ['lost answer', '504 after the effect'] as const
    const wanted = { networks: duplicateNetworks, faults, each: 5, confirmAfter: '2s,4s,8s', blind: true } as const
    const report = await publishLostResponses({ ...options, ...wanted })
    return { ...report, broken: requireDamage(report.doubled) }
  },
  async 'publish-restore'(options) {
    const old = await publishRestore({ ...options, posts: 120, minutes: 120, watch: 20 })
    const recent = await publishRestore({ ...options, posts: 60, minutes: 20, watch: 20 })
    return { old, young: recent, broken: [...brokenByRestore(old), ...brokenByRestore(recent)] }
  },
  async 'publish-restore-control'(options) {
    const report = await publishRestore({ ...options, posts: 120, minutes: 120, watch: 20, trustBackup: true })
    return { ...report, broken: requireDamage(report.resent) }
  },
  async 'publish-stops'(options) {
    const report = await publishStops({ ...options, campaigns: 300 })
    return { ...report, broken: brokenByStops(report) }
  },
  async 'publish-stops-control'(options) {
    const report = await publishStops({ ...options, campaigns: 300, bypassApi: true })
    return { ...report, broken: requireDamage(report.after) }
  },
}

/** Publishing runs, each on its own database server. */
export const publishingRuns = (seed: number, log: (line: string) => void): Record<string, () => Promise<unknown>> =>
  Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, () => runOnOwnServer(run, seed, log)]))

async function runOnOwnServer(run: Run, seed: number, log: (line: string) => void) {
  const [programs, databases] = await Promise.all([buildPrograms(), openDatabases()])
  try {
    return await run({ programs, databases, seed, log, nodes: await openNodes({ random: randomness(seed), log }) })
  } finally {
    killChildren()
    await databases.stop()
  }
}

/** Violations in a report; empty if all guarantees hold. */
type Violations = string[]

export const brokenByKills = (report: KillReport): Violations => [
  ...zeros(report, ['lost', 'doubled', 'disagreeing', 'unshortened', 'stuck', 'wrongEvents', 'wrongCounts']),
  ...unless(sum(report.kills) === report.wantedKills, `only ${sum(report.kills)} kills of ${report.wantedKills}`),
]

const maxTakeoverMs = 5_000

const slowTakeover = ({ takeover }: KillReport): Violations =>
  unless(takeover.p99 <= maxTakeoverMs, `takeover p99 ${takeover.p99} ms`)

export const brokenByLostResponses = (report: LostReport): Violations => [
  ...zeros(report, ['doubled']),
  ...report.wrong,
]

/** All posts are held except the one with the lost response, which is found. */
export const brokenByRestore = (report: RestoreReport): Violations => [
  ...zeros(report, ['resent', 'aheadNotOnce']),
  ...unless(report.sent === report.posts + 3, `${report.sent} were sent before it`),
  ...unless(report.states.late === report.posts + 2 && report.states.sent === 1, JSON.stringify(report.states)),
]

export const brokenByStops = (report: StopReport): Violations => [
  ...zeros(report, ['after', 'misplaced', 'notOnce']),
  ...report.refused,
  ...unless(report.sentBefore > 0 && report.sentBefore < report.posts, 'nothing was stopped in the middle'),
]

/** A negative control must cause damage that the harness detects. */
export const requireDamage = (damage: number): Violations => unless(damage > 0, 'the control shows no damage')

function zeros<Name extends string>(report: { [name in Name]: number }, names: readonly Name[]): Violations {
  return names.filter((name) => report[name] !== 0).map((name) => `${name}: ${report[name]}`)
}

const unless = (holds: boolean, what: string): Violations => (holds ? [] : [what])

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0)
