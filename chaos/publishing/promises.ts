import type { KillReport } from './kills.ts'
import type { LostReport } from './lost-answers.ts'
import type { RestoreReport } from './restore.ts'
import type { StopReport } from './stops.ts'

/** What a report says that must not be; nothing when every promise was kept. */
type Broken = string[]

export const brokenByKills = (report: KillReport): Broken => [
  ...zeros(report, ['lost', 'doubled', 'disagreeing', 'unshortened', 'stuck', 'wrongEvents', 'wrongCounts']),
  ...unless(sum(report.kills) === report.wantedKills, `only ${sum(report.kills)} kills of ${report.wantedKills}`),
]

/** Milliseconds until a killed worker's profiles are served by another. */
const mostTakeover = 5_000

export const slowTakeover = ({ takeover }: KillReport): Broken =>
  unless(takeover.p99 <= mostTakeover, `takeover p99 ${takeover.p99} ms`)

export const brokenByLostAnswers = (report: LostReport): Broken => [...zeros(report, ['doubled']), ...report.wrong]

/** Everything is held but the one whose answer got lost: that is found. */
export const brokenByRestore = (report: RestoreReport): Broken => [
  ...zeros(report, ['resent', 'aheadNotOnce']),
  ...unless(report.sent === report.posts + 3, `${report.sent} were sent before it`),
  ...unless(report.states.late === report.posts + 2 && report.states.sent === 1, JSON.stringify(report.states)),
]

export const brokenByStops = (report: StopReport): Broken => [
  ...zeros(report, ['after', 'misplaced', 'notOnce']),
  ...report.refused,
  ...unless(report.sentBefore > 0 && report.sentBefore < report.posts, 'nothing was stopped in the middle'),
]

/** A control that causes no damage, or a harness that does not see it, proves nothing. */
export const unseen = (damage: number): Broken => unless(damage > 0, 'the control shows no damage')

function zeros<Name extends string>(report: { [name in Name]: number }, names: readonly Name[]): Broken {
  return names.filter((name) => report[name] !== 0).map((name) => `${name}: ${report[name]}`)
}

const unless = (kept: boolean, what: string): Broken => (kept ? [] : [what])

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0)
