import { endPrograms } from '../../tests/support/program.ts'
import { type Databases, openDatabases } from '../databases.ts'
import { requireDamage } from '../publishing/runs.ts'
import { endAttacks } from './attack.ts'
import { type AttackName, attackNames } from './attacker.ts'
import {
  type AttackResult,
  type Control,
  type Measurement,
  type NeighbourOptions,
  type NeighbourReport,
  neighbours,
  openNeighbourhood,
} from './neighbours.ts'

interface RunOptions {
  seed: number
  log: (line: string) => void
  /** Limits the run to these attacks. */
  only?: readonly AttackName[] | undefined
}

type Run = (
  runNeighbours: (options: Omit<NeighbourOptions, 'databaseUrl' | 'seed' | 'log'>) => Promise<NeighbourReport>,
  only: RunOptions['only'],
  runControl: (options: { posts: number; seconds: number }) => Promise<Control>,
) => Promise<object & { broken: string[] }>

const minute = { idleSeconds: 40, seconds: 60 }
/** Several processes need a fixed port; this range is below the ephemeral ports. */
const sharedPort = 20_000 + (process.pid % 12_000)
/** The maximum number of unsent posts of an account. */
const largePosts = 50_000
const everyAttack = [...attackNames, 'anonymous', 'large'] as const

const runs: Record<string, Run> = {
  /** All attacks at once for a minute: by an account, then unauthenticated, then by an account with much data. */
  async neighbours(runNeighbours, only = everyAttack) {
    const names = only.filter((name) => name !== 'anonymous' && name !== 'large')
    const account = names.length > 0 ? await runNeighbours({ names, ...minute }) : undefined
    const anonymous = only.includes('anonymous') ? await runNeighbours({ names: ['anonymous'], ...minute }) : undefined
    const large = only.includes('large')
      ? await runNeighbours({ names: ['large'], posts: largePosts, ...minute })
      : undefined
    const broken = [
      ...[account, anonymous].flatMap((report) => (report ? [...brokenBy(report), ...memoryGrowth(report)] : [])),
      ...(large ? brokenByLarge(large) : []),
    ]
    return {
      account: account && summary(account),
      nobody: anonymous && summary(anonymous),
      large: large && summary(large),
      broken,
    }
  },
  async 'neighbours-processes'(runNeighbours, only = attackNames) {
    const environment = { CHORUS_PROCESSES: '2', CHORUS_PORT: String(sharedPort) }
    const report = await runNeighbours({ names: only, ...minute, environment })
    return { ...summary(report), broken: [...brokenBy(report), ...memoryGrowth(report)] }
  },
  async 'neighbours-each'(runNeighbours, only = [...attackNames, 'anonymous'] as const) {
    const reports: { [name: string]: object } = {}
    const broken: string[] = []
    for (const name of only) {
      const report = await runNeighbours({ names: [name], idleSeconds: 10, seconds: 10 })
      reports[name] = summary(report)
      broken.push(...brokenBy(report).map((what) => `${name}: ${what}`))
    }
    return { ...reports, broken }
  },
  /** Negative control: responses in one piece must cause detectable damage. */
  async 'neighbours-large-control'(_tried, _only, runControl) {
    const { alone: runOnOwnServer, beside, ratio, memory } = await runControl({ posts: largePosts, seconds: 30 })
    const damage = damageOf({ ratio, memory })
    return {
      memory,
      ratio,
      alone: runOnOwnServer.calls,
      beside: beside.calls,
      damage,
      broken: requireDamage(damage.length),
    }
  },
  /** Negative control: attackers in the measured account, which are not isolated from it. */
  async 'neighbours-control'(runNeighbours, only = ['hung', 'drips', 'bombs']) {
    const report = await runNeighbours({ names: only, idleSeconds: 15, seconds: 30, sameAccount: true })
    const damage = brokenBy(report)
    return { ...summary(report), damage, broken: requireDamage(damage.length) }
  },
}

/** Runs with two accounts on one service, each on its own database server. */
export const neighbourRuns = (options: RunOptions): Record<string, () => Promise<unknown>> =>
  Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, () => runOnOwnServer(run, options)]))

async function runOnOwnServer(run: Run, { seed, log, only }: RunOptions) {
  const unknown = only?.find((name) => !everyAttack.includes(name))
  if (unknown) throw new Error(`There is no attack "${unknown}"; there are ${everyAttack.join(', ')}.`)
  const databases = await openDatabases()
  try {
    return await run(
      (wanted) => runNeighbours(databases, { ...wanted, seed, log }),
      only,
      ({ posts, seconds }) => runControl(databases, posts, { seconds, seed }),
    )
  } finally {
    endAttacks()
    await endPrograms()
    await databases.stop()
  }
}

async function runNeighbours(
  databases: Databases,
  options: Omit<NeighbourOptions, 'databaseUrl'>,
): Promise<NeighbourReport> {
  const { url, drop } = await databases.fresh()
  try {
    return await neighbours({ ...options, databaseUrl: url })
  } finally {
    await drop()
  }
}

async function runControl(
  databases: Databases,
  posts: number,
  options: { seconds: number; seed: number },
): Promise<Control> {
  const { url, drop } = await databases.fresh()
  try {
    const neighbourhood = await openNeighbourhood({ databaseUrl: url, posts })
    return await neighbourhood.control(options).finally(neighbourhood.close)
  } finally {
    await drop()
  }
}

/** Summary of a report. */
const summary = ({ alone: runOnOwnServer, busy, beside, attack, ...rest }: NeighbourReport) => ({
  ...rest,
  alone: line(runOnOwnServer),
  busy: line(busy),
  beside: line(beside),
  kinds: Object.entries(beside.kinds).map(([kind, p99]) => `${kind} ${busy.kinds[kind]} → ${p99} ms`),
  attack: Object.entries(attack).map(([name, counts]) => `${name} ${JSON.stringify(counts)}`),
})

const line = ({ calls, lag, failures, uploads, posts }: Measurement) =>
  `${calls.count} calls, p50 ${calls.p50} p99 ${calls.p99} slowest ${calls.slowest} ms, ${failures.length} failed; ` +
  `lag ${lag} ms; uploads ${uploads.done.count}/${uploads.done.count + uploads.failures.length} slowest ${uploads.done.slowest} ms; ` +
  `posts ${posts.done.count}/${posts.done.count + posts.failures.length} slowest ${posts.done.slowest} ms`

const maxRatio = 3
const maxGrowthMiB = 100
const maxMiB = 600

/** Violations in a report; empty if the regular account was not affected. */
const brokenBy = (report: NeighbourReport, ratio = maxRatio): string[] => [
  ...failuresIn(report),
  ...idleAttacks(report),
  ...unless(report.ratio <= ratio, `p99 beside the bad one is ${report.ratio} times that without`),
]

/** An attack that sent no requests proves nothing. */
const idleAttacks = ({ attack }: AttackResult) =>
  Object.entries(attack).flatMap(([name, counts]) => unless((counts.asked ?? 0) > 0, `${name} did nothing`))

/** Failed requests, uploads and posts, and a terminated service. */
export const failuresIn = ({ beside, alive }: AttackResult): string[] => [
  ...unless(alive, 'the service ended'),
  ...grouped('calls', beside.failures),
  ...grouped('uploads', beside.uploads.failures),
  ...grouped('posts', beside.posts.failures),
]

export const memoryGrowth = ({ memory }: AttackResult): string[] =>
  unless(memory.after - memory.before <= maxGrowthMiB, `memory grew by ${memory.after - memory.before} MiB`)

/** The same for an account with much data, including memory usage. */
const brokenByLarge = (report: NeighbourReport): string[] => [
  ...failuresIn(report),
  ...idleAttacks(report),
  ...damageOf(report),
]

export const damageOf = ({ ratio, memory }: Pick<Control, 'ratio' | 'memory'>): string[] => [
  ...unless(ratio <= maxRatio, `p99 beside the large account is ${ratio} times that without`),
  ...unless(memory.most <= maxMiB, `memory came to ${memory.most} MiB`),
]

const unless = (holds: boolean, what: string) => (holds ? [] : [what])

function grouped(what: string, failures: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const failure of failures) counts.set(failure, (counts.get(failure) ?? 0) + 1)
  return [...counts].map(([failure, count]) => `${count} ${what} failed: ${failure}`)
}
