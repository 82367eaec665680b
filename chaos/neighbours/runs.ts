import { endPrograms } from '../../tests/support/program.ts'
import { type Databases, openDatabases } from '../publishing/databases.ts'
import { unseen } from '../publishing/promises.ts'
import { endAttacks } from './attack.ts'
import { brokenBy, brokenByLarge, damageOf, grownBy } from './judge.ts'
import {
  type Control,
  type NeighbourOptions,
  type NeighbourReport,
  neighbours,
  openNeighbourhood,
  type Stay,
} from './neighbours.ts'
import { type AttackName, attackNames } from './targets.ts'

interface RunOptions {
  seed: number
  say: (line: string) => void
  /** These attacks alone. */
  only?: readonly AttackName[] | undefined
}

type Run = (
  tried: (options: Omit<NeighbourOptions, 'databaseUrl' | 'seed' | 'say'>) => Promise<NeighbourReport>,
  only: RunOptions['only'],
  controlled: (options: { posts: number; seconds: number }) => Promise<Control>,
) => Promise<object & { broken: string[] }>

const minute = { idleSeconds: 40, seconds: 60 }
/** Several processes cannot take a port of the system's choice each. Below those that the system gives to others meanwhile. */
const sharedPort = 20_000 + (process.pid % 12_000)
/** As many posts as an account may have that were not sent. */
const largePosts = 50_000
const everyAttack = [...attackNames, 'anonymous', 'large'] as const

const runs: Record<string, Run> = {
  /** Everything at once for a minute, first by an account, then by nobody; then an account that has very much asks for all of it. */
  async neighbours(tried, only = everyAttack) {
    const names = only.filter((name) => name !== 'anonymous' && name !== 'large')
    const account = names.length > 0 ? await tried({ names, ...minute }) : undefined
    const nobody = only.includes('anonymous') ? await tried({ names: ['anonymous'], ...minute }) : undefined
    const large = only.includes('large') ? await tried({ names: ['large'], posts: largePosts, ...minute }) : undefined
    const broken = [
      ...[account, nobody].flatMap((report) => (report ? [...brokenBy(report), ...grownBy(report)] : [])),
      ...(large ? brokenByLarge(large) : []),
    ]
    return { account: account && brief(account), nobody: nobody && brief(nobody), large: large && brief(large), broken }
  },
  async 'neighbours-processes'(tried, only = attackNames) {
    const environment = { CHORUS_PROCESSES: '2', CHORUS_PORT: String(sharedPort) }
    const report = await tried({ names: only, ...minute, environment })
    return { ...brief(report), broken: [...brokenBy(report), ...grownBy(report)] }
  },
  async 'neighbours-each'(tried, only = [...attackNames, 'anonymous'] as const) {
    const reports: { [name: string]: object } = {}
    const broken: string[] = []
    for (const name of only) {
      const report = await tried({ names: [name], idleSeconds: 10, seconds: 10 })
      reports[name] = brief(report)
      broken.push(...brokenBy(report).map((what) => `${name}: ${what}`))
    }
    return { ...reports, broken }
  },
  /** A program that answers the large account in one piece: what is judged above must be seen here. */
  async 'neighbours-large-control'(_tried, _only, controlled) {
    const { alone, beside, ratio, memory } = await controlled({ posts: largePosts, seconds: 30 })
    const damage = damageOf({ ratio, memory })
    return { memory, ratio, alone: alone.calls, beside: beside.calls, damage, broken: unseen(damage.length) }
  },
  /** The same attackers, as users of the account that is measured: nothing keeps them apart then. */
  async 'neighbours-control'(tried, only = ['hung', 'drips', 'bombs']) {
    const report = await tried({ names: only, idleSeconds: 15, seconds: 30, sameAccount: true })
    const damage = brokenBy(report)
    return { ...brief(report), damage, broken: unseen(damage.length) }
  },
}

/** The runs of two accounts on one service, each on a database server of its own. */
export const neighbourRuns = (options: RunOptions): Record<string, () => Promise<unknown>> =>
  Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, () => alone(run, options)]))

async function alone(run: Run, { seed, say, only }: RunOptions) {
  const unknown = only?.find((name) => !everyAttack.includes(name))
  if (unknown) throw new Error(`There is no attack "${unknown}"; there are ${everyAttack.join(', ')}.`)
  const databases = await openDatabases()
  try {
    return await run(
      (wanted) => tried(databases, { ...wanted, seed, say }),
      only,
      ({ posts, seconds }) => controlled(databases, posts, { seconds, seed }),
    )
  } finally {
    endAttacks()
    await endPrograms()
    await databases.stop()
  }
}

async function tried(databases: Databases, options: Omit<NeighbourOptions, 'databaseUrl'>): Promise<NeighbourReport> {
  const { url, drop } = await databases.fresh()
  try {
    return await neighbours({ ...options, databaseUrl: url })
  } finally {
    await drop()
  }
}

async function controlled(
  databases: Databases,
  posts: number,
  options: { seconds: number; seed: number },
): Promise<Control> {
  const { url, drop } = await databases.fresh()
  try {
    const here = await openNeighbourhood({ databaseUrl: url, posts })
    return await here.control(options).finally(here.close)
  } finally {
    await drop()
  }
}

/** What a person wants to read of it. */
const brief = ({ alone, busy, beside, attack, ...rest }: NeighbourReport) => ({
  ...rest,
  alone: line(alone),
  busy: line(busy),
  beside: line(beside),
  kinds: Object.entries(beside.kinds).map(([kind, p99]) => `${kind} ${busy.kinds[kind]} → ${p99} ms`),
  attack: Object.entries(attack).map(([name, counts]) => `${name} ${JSON.stringify(counts)}`),
})

const line = ({ calls, lag, failures, uploads, posts }: Stay) =>
  `${calls.count} calls, p50 ${calls.p50} p99 ${calls.p99} slowest ${calls.slowest} ms, ${failures.length} failed; ` +
  `lag ${lag} ms; uploads ${uploads.done.count}/${uploads.done.count + uploads.failures.length} slowest ${uploads.done.slowest} ms; ` +
  `posts ${posts.done.count}/${posts.done.count + posts.failures.length} slowest ${posts.done.slowest} ms`
