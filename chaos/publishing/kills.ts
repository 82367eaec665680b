import { setTimeout as sleep } from 'node:timers/promises'
import { randomness } from '../../tests/support/randomness.ts'
import { openWorkerHarness, type RunOptions, type WorkerPool } from './harness.ts'
import { openPostGenerator, type PostGenerator } from './posts.ts'
import type { Command } from './service-process.ts'
import {
  openSends,
  percentiles,
  resendUnconfirmed,
  settled,
  type Tally,
  tally,
  verdicts,
  wrongCounts,
  wrongEvents,
} from './verdicts.ts'

interface KillOptions extends RunOptions {
  posts: number
  kills: number
  /** Number of concurrent workers; default 2. */
  workers?: number
  /** When to search for unconfirmed posts. */
  confirmAfter?: string
  /** Failpoints used in turn; all by default. */
  points?: readonly string[]
  /** Negative control: resends unconfirmed items without searching for them. */
  blind?: true
}

export interface KillReport extends Tally {
  posts: number
  seed: number
  wantedKills: number
  /** Kills per failpoint. */
  kills: Record<string, number>
  /** On a cluster: kills per node. */
  nodeKills?: Readonly<Record<string, number>>
  wrongEvents: number
  wrongCounts: number
  /** Sends without a final state. */
  stuck: number
  /** Takeover times in milliseconds. */
  takeover: { measured: number; p50: number; p99: number; slowest: number }
  seconds: number
}

const failpoints: Record<string, (random: () => number) => Command> = {
  'before intent': (random) => at('taken', random),
  'after intent': (random) => at('intended', random),
  'bytes out': (random) => at('intended', random, 5 + Math.floor(random() * 36)),
  'answer in': (random) => at('answered', random),
  'after commit': (random) => at('completed', random),
}
/** The control needs sends that have already reached the network. */
export const pointsOf = (blind: true | undefined) => (blind ? ['bytes out', 'answer in'] : Object.keys(failpoints))
type Stage = Extract<Command, { kill: object }>['kill']['moment']
/** Skips some sends first, so that workers make progress. */
const at = (stage: Stage, random: () => number, after = 0): Command => ({
  kill: { moment: stage, skip: Math.floor(random() * 8), after },
})

/** Kills workers repeatedly at every failpoint of a send; then compares the ledger of the networks with the planned posts. */
export async function publishKills({
  posts,
  kills,
  workers = 2,
  confirmAfter = '2s,4s,8s',
  blind,
  points = pointsOf(blind),
  seed,
  log = () => {},
  nodes,
  ...rest
}: KillOptions): Promise<KillReport> {
  const started = performance.now()
  const random = randomness(seed)
  const workerHarness = await openWorkerHarness({
    ...rest,
    workers,
    environment: { CHORUS_PUBLISH_CONFIRM_AFTER: confirmAfter },
  })
  const { harness, pool } = workerHarness
  const control = blind && resendUnconfirmed(harness)
  const killsByFailpoint: Record<string, number> = Object.fromEntries(Object.keys(failpoints).map((name) => [name, 0]))
  try {
    // Other networks reject duplicates and would hide double sends.
    const networks = blind ? (['instagram'] as const) : (['x', 'facebook', 'linkedInPage'] as const)
    const source = await openPostGenerator(harness, { posts, networks, random })
    const nodeKiller = nodes?.startKilling()
    await killWorkers(pool, {
      workers,
      points,
      kills,
      random,
      pauseMs: 1_000,
      source,
      portion: Math.floor(posts / (kills + 1)),
      async killed(name) {
        killsByFailpoint[name] = (killsByFailpoint[name] ?? 0) + 1
        log(`killed ${name}: ${source.left()} posts to come, ${await openSends(harness)} sends open`)
      },
    })
    await source.release(source.left())
    await nodeKiller?.stop()
    await nodes?.settled()
    const stuck = await settled(harness, log)
    const found = await verdicts(harness, source.posts)
    return {
      posts: source.posts.length,
      seed,
      wantedKills: kills,
      kills: killsByFailpoint,
      ...tally(found),
      stuck,
      ...(nodes && { nodeKills: nodes.kills }),
      wrongEvents: await wrongEvents(harness, source.posts),
      wrongCounts: await wrongCounts(harness),
      takeover: percentiles(await pool.takeovers()),
      seconds: Math.round((performance.now() - started) / 1000),
    }
  } finally {
    await control?.stop()
    await workerHarness.stop()
  }
}

interface KillPlan {
  workers: number
  /** Failpoints, used in turn. */
  points: readonly string[]
  kills: number
  random: () => number
  /** Maximum pause before a kill. */
  pauseMs: number
  source: Pick<PostGenerator, 'release'>
  /** Number of items to add before each kill. */
  portion: number
  killed(failpoint: string): unknown
}

/** Kills the workers of a pool in parallel until the planned number is reached. */
export async function killWorkers(pool: WorkerPool, plan: KillPlan) {
  const { workers, points, kills, random, pauseMs, source, portion, killed } = plan
  const names = Array.from({ length: kills }, (_, index) => points[index % points.length] as string)
  await Promise.all(
    Array.from({ length: workers }, async (_, slot) => {
      for (let name = names.shift(); name; name = names.shift()) {
        await pool.whenReady(slot)
        await sleep(random() * pauseMs)
        await source.release(portion)
        await killAtFailpoint(pool, slot, failpoints[name]?.(random) as Command, source)
        await killed(name)
      }
    }),
  )
}

/** Adds posts until the worker reaches its failpoint. */
async function killAtFailpoint(
  pool: WorkerPool,
  slot: number,
  command: Command,
  source: Pick<PostGenerator, 'release'>,
) {
  let dead = false
  const killing = pool.kill(slot, command).finally(() => {
    dead = true
  })
  for (let elapsed = 0; !dead; elapsed += 50) {
    await Promise.race([killing, sleep(50)])
    if (elapsed % 1_500 === 1_450) await source.release(3)
  }
}
