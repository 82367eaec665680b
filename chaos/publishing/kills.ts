import { setTimeout as sleep } from 'node:timers/promises'
import { randomness } from '../../tests/support/randomness.ts'
import { resendBlindly } from './blind.ts'
import type { Crew } from './crew.ts'
import { openSends, type Tally, tally, verdicts, wrongCounts, wrongEvents } from './judge.ts'
import type { RunOptions } from './run-options.ts'
import { openScene } from './scene.ts'
import type { Order } from './service-process.ts'
import { openSource, type Source } from './source.ts'
import { settled, spread } from './waiting.ts'

interface KillOptions extends RunOptions {
  posts: number
  kills: number
  /** How many there are at a time; two unless told. */
  workers?: number
  /** When to look for what got no answer. */
  looks?: string
  /** Where workers die, in turn; everywhere unless told. */
  points?: readonly string[]
  /** The control: what got no answer is sent again. */
  blind?: true
}

export interface KillReport extends Tally {
  posts: number
  seed: number
  wantedKills: number
  /** How often a worker died where. */
  kills: Record<string, number>
  /** On a cluster: how often which node was killed beside. */
  nodeKills?: Readonly<Record<string, number>>
  wrongEvents: number
  wrongCounts: number
  /** Neither sent nor given up in the end. */
  stuck: number
  /** Until somebody else served the profiles of a killed worker, in milliseconds. */
  takeover: { measured: number; p50: number; p99: number; slowest: number }
  seconds: number
}

export const failpoints: Record<string, (chance: () => number) => Order> = {
  'before intent': (chance) => at('taken', chance),
  'after intent': (chance) => at('intended', chance),
  'bytes out': (chance) => at('intended', chance, 5 + Math.floor(chance() * 36)),
  'answer in': (chance) => at('answered', chance),
  'after commit': (chance) => at('completed', chance),
}
/** What is sent again must have been on its way. */
export const pointsOf = (blind: true | undefined) => (blind ? ['bytes out', 'answer in'] : Object.keys(failpoints))
type Moment = Extract<Order, { kill: object }>['kill']['moment']
/** A few sends get past it first, so that workers also get something done. */
const at = (moment: Moment, chance: () => number, after = 0): Order => ({
  kill: { moment, skip: Math.floor(chance() * 8), after },
})

/** Kills workers again and again at every point of a send; then compares what the networks have with what was wanted. */
export async function publishKills({
  posts,
  kills,
  workers = 2,
  looks = '2s,4s,8s',
  blind,
  points = pointsOf(blind),
  seed,
  say = () => {},
  nodes,
  ...rest
}: KillOptions): Promise<KillReport> {
  const begun = performance.now()
  const chance = randomness(seed)
  const scene = await openScene({ ...rest, workers, environment: { CHORUS_PUBLISH_LOOKS: looks } })
  const { stage, crew } = scene
  const control = blind && resendBlindly(stage)
  const died: Record<string, number> = Object.fromEntries(Object.keys(failpoints).map((name) => [name, 0]))
  try {
    // The others refuse the same words a second time, and would hide what the control does.
    const networks = blind ? (['instagram'] as const) : (['x', 'facebook', 'linkedInPage'] as const)
    const source = await openSource(stage, { posts, networks, chance })
    const names = Array.from({ length: kills }, (_, index) => points[index % points.length] as string)
    const share = Math.floor(posts / (kills + 1))
    const striking = nodes?.strikeOn()
    await Promise.all(
      Array.from({ length: workers }, async (_, slot) => {
        for (let name = names.shift(); name; name = names.shift()) {
          await crew.ready(slot)
          await sleep(chance() * 1_000)
          await source.release(share)
          await killOne(crew, slot, failpoints[name]?.(chance) as Order, source)
          died[name] = (died[name] ?? 0) + 1
          say(`killed ${name}: ${source.left()} posts to come, ${await openSends(stage)} sends open`)
        }
      }),
    )
    await source.release(source.left())
    await striking?.stop()
    await nodes?.settled()
    const stuck = await settled(stage, say)
    const found = await verdicts(stage, source.posts)
    return {
      posts: source.posts.length,
      seed,
      wantedKills: kills,
      kills: died,
      ...tally(found),
      stuck,
      ...(nodes && { nodeKills: nodes.kills }),
      wrongEvents: await wrongEvents(stage, source.posts),
      wrongCounts: await wrongCounts(stage),
      takeover: spread(await crew.takeovers()),
      seconds: Math.round((performance.now() - begun) / 1000),
    }
  } finally {
    await control?.stop()
    await scene.stop()
  }
}

/** A worker that finds nothing to do cannot die doing it, and gets some. */
export async function killOne(crew: Crew, slot: number, order: Order, source: Pick<Source, 'release'>) {
  let dead = false
  const dying = crew.kill(slot, order).finally(() => {
    dead = true
  })
  for (let waited = 0; !dead; waited += 50) {
    await Promise.race([dying, sleep(50)])
    if (waited % 1_500 === 1_450) await source.release(3)
  }
}
