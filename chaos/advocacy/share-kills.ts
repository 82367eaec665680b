import { setTimeout as sleep } from 'node:timers/promises'
import { randomness } from '../../tests/support/randomness.ts'
import { resendBlindly } from '../publishing/blind.ts'
import { failpoints, killOne, pointsOf } from '../publishing/kills.ts'
import type { RunOptions } from '../publishing/run-options.ts'
import { openScene } from '../publishing/scene.ts'
import type { Order } from '../publishing/service-process.ts'
import type { Stage } from '../publishing/stage.ts'
import { settled } from '../publishing/waiting.ts'
import { openCrowd, type WantedShare } from './crowd.ts'

interface ShareKillOptions extends RunOptions {
  shares: number
  advocates: number
  kills: number
  workers?: number
  /** Where workers die, in turn; everywhere unless told. */
  points?: readonly string[]
  /** The control: what got no answer is sent again. */
  blind?: true
}

export interface ShareKillReport {
  seed: number
  shares: number
  kills: number
  lost: number
  doubled: number
  /** Those of which the database says something else than the network. */
  disagreeing: number
  wrongCounts: number
  stuck: number
  seconds: number
}

/** Advocates share while workers are killed at every point of a send; then what the networks have is compared with what was shared. */
export async function shareKills({
  shares,
  advocates,
  kills,
  workers = 2,
  blind,
  points = pointsOf(blind),
  seed,
  say = () => {},
  ...rest
}: ShareKillOptions): Promise<ShareKillReport> {
  const begun = performance.now()
  const chance = randomness(seed)
  const scene = await openScene({ ...rest, workers, environment: { CHORUS_PUBLISH_LOOKS: '1s,2s,4s' } })
  const { stage, crew } = scene
  const control = blind && resendBlindly(stage)
  try {
    // Facebook takes the same words twice, so that whoever sends twice is seen.
    const crowd = await openCrowd(stage, { advocates, network: 'Facebook' })
    const names = Array.from({ length: kills }, (_, index) => points[index % points.length] as string)
    const portion = Math.floor(shares / (kills + 1))
    await Promise.all(
      Array.from({ length: workers }, async (_, slot) => {
        for (let name = names.shift(); name; name = names.shift()) {
          await crew.ready(slot)
          await sleep(chance() * 500)
          await crowd.release(portion)
          await killOne(crew, slot, failpoints[name]?.(chance) as Order, crowd)
          say(`killed ${name}: ${crowd.shares.length} shared`)
        }
      }),
    )
    await crowd.release(Math.max(0, shares - crowd.shares.length))
    const stuck = await settled(stage, say)
    return {
      seed,
      shares: crowd.shares.length,
      kills,
      ...(await judge(stage, crowd.shares)),
      stuck,
      wrongCounts: await crowd.wrongCounts(),
      seconds: Math.round((performance.now() - begun) / 1000),
    }
  } finally {
    await control?.stop()
    await scene.stop()
  }
}

async function judge(stage: Stage, shares: readonly WantedShare[]) {
  const ledger = await stage.ledger()
  const rows = await stage.query<{ id: string; status: string; remote_id: string }>(
    'select id, status, remote_id from shares where id = any ($1)',
    [shares.map(({ id }) => id)],
  )
  const known = new Map(rows.map((row) => [row.id, row]))
  const found = shares.map(({ id, token, remoteProfile }) => ({
    entries: ledger.filter(({ text, profile }) => text.includes(token) && profile === remoteProfile),
    row: known.get(id),
  }))
  return {
    lost: found.filter(({ entries }) => entries.length === 0).length,
    doubled: found.filter(({ entries }) => entries.length > 1).length,
    disagreeing: found.filter(
      ({ entries, row }) => row?.status !== 'complete' || row.remote_id !== entries[0]?.remoteId,
    ).length,
  }
}

/** What a report says that must not be. */
export const brokenByShareKills = ({ lost, doubled, disagreeing, wrongCounts, stuck }: ShareKillReport): string[] =>
  Object.entries({ lost, doubled, disagreeing, wrongCounts, stuck }).flatMap(([name, count]) =>
    count === 0 ? [] : [`${name}: ${count}`],
  )
