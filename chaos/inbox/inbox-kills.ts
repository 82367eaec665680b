import { setTimeout as sleep } from 'node:timers/promises'
import { randomness } from '../../tests/support/randomness.ts'
import { patiently } from '../patience.ts'
import { connectProfiles, kinds } from '../publishing/profiles.ts'
import type { RunOptions } from '../publishing/run-options.ts'
import { openStage } from '../publishing/stage.ts'
import { deliver, shuffled } from './deliveries.ts'
import { foundIn, settled } from './found.ts'
import { differences, expectedOf, type Found } from './model.ts'
import { naiveInbox } from './naive.ts'
import { talk } from './talk.ts'

interface InboxKillOptions extends RunOptions {
  activities: number
  profiles: number
  kills: number
  /** The control: what would become of the same by an inbox that takes everything as it comes. */
  naive?: true
  /** Hears the same of the control beside, for small runs. */
  hearNaive?: (damage: Differences) => void
}

type Differences = ReturnType<typeof differences>

export interface InboxKillReport extends Differences {
  seed: number
  activities: number
  /** How many calls told of them, some of them more than once, and how many were found by asking alone. */
  told: number
  silent: number
  items: number
  entries: number
  kills: number
  seconds: number
}

/** People act, networks tell of it in any order and more than once, workers are killed; then the inbox is compared with a model. */
export async function inboxKills(options: InboxKillOptions): Promise<InboxKillReport> {
  const { activities, profiles: count, kills, naive, hearNaive, seed, say = () => {}, ...rest } = options
  const begun = performance.now()
  const chance = randomness(seed)
  const stage = await openStage({ ...rest, latency: [0, 20], environment: { CHORUS_POLL_SECONDS: '3' } })
  try {
    const profiles = await connectProfiles(
      stage,
      Array.from({ length: count }, () => kinds.facebook),
    )
    const ids = profiles.map(({ id }) => id)
    const happened = await talk(stage, profiles, activities, chance)
    const expected = expectedOf(happened)
    const entries = [...expected.timelines.values()].reduce((sum, { size }) => sum + size, 0)
    const told = shuffled(happened, chance)
    const silent = happened.filter((one) => one.silent).length
    say(`${happened.length} activities, ${told.length} pushes, ${silent} found by asking alone`)
    hearNaive?.(differences(expected, naiveInbox(told, kills)))
    const judged = async (): Promise<Found> => {
      if (naive) return naiveInbox(told, kills)
      const worker = startKilled()
      try {
        await deliver(stage.url, told)
        await worker.killed
        await settled(stage, entries, say)
        return await foundIn(stage, ids)
      } finally {
        await worker.stop()
      }
    }
    /** One worker after the other, each killed somewhere. */
    const startKilled = () => {
      let current = patiently(stage.startWorkerProcess)
      const killing = async () => {
        for (let number = 1; number <= kills; number++) {
          const worker = await current
          await sleep(200 + chance() * 1_500)
          worker.child.kill('SIGKILL')
          await worker.ended
          say(`killed ${number}`)
          current = patiently(stage.startWorkerProcess)
        }
      }
      return {
        killed: killing(),
        async stop() {
          const worker = await current
          worker.child.kill('SIGKILL')
          await worker.ended
        },
      }
    }
    return {
      seed,
      activities: happened.length,
      told: told.length,
      silent,
      items: expected.timelines.size,
      entries,
      kills,
      ...differences(expected, await judged()),
      seconds: Math.round((performance.now() - begun) / 1000),
    }
  } finally {
    await stage.stop()
  }
}

/** What a report says that must not be. */
export const brokenByInboxKills = (report: InboxKillReport): string[] => {
  const { lostItems, surplusItems, wrongTimelines, wrongEvents, wrongUnread, wrongTotals, wrongFigures } = report
  const counts = { lostItems, surplusItems, wrongTimelines, wrongEvents, wrongUnread, wrongTotals, wrongFigures }
  return Object.entries(counts).flatMap(([name, number]) => (number === 0 ? [] : [`${name}: ${number}`]))
}
