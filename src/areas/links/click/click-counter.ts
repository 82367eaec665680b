import { setTimeout as sleep } from 'node:timers/promises'
import { usualRhythm } from '#kernel/rhythm.ts'
import { byAccount } from './click-bundle.ts'
import { type CountingWorld, countClicks } from './count-clicks.ts'
import { atOnce, waitingBundles } from './waiting-clicks.ts'

export interface ClickCounter {
  /** Takes no more clicks, and finishes with those it has. */
  stop(): Promise<void>
}

/** For how long an account whose clicks cannot be counted is left alone, so that it holds up nobody else. */
const afterFailure = 5_000

/** Counts clicks from this process until it is stopped. Any number of processes may do so at once. */
export function startClickCounter(world: CountingWorld, rests = usualRhythm.clicks): ClickCounter {
  const { database, log } = world
  const stopping = new AbortController()
  const failed = new Map<string, number>()

  /** Tells how long to wait before the next. */
  const pass = async (): Promise<number> => {
    for (const [account, until] of failed) if (until <= performance.now()) failed.delete(account)
    const waiting = await waitingBundles(database.shared, [...failed.keys()])
    let counted = 0
    for (const [account, bundles] of byAccount(waiting)) {
      if (stopping.signal.aborted) break
      try {
        counted += await countClicks(world, account, bundles)
      } catch (error) {
        failed.set(account, performance.now() + afterFailure)
        log.error({ err: error, account, bundles: bundles.length }, 'counting clicks failed')
      }
    }
    const size = waiting.reduce((sum, { clicks }) => sum + clicks.length, 0)
    if (size >= atOnce && counted > 0) return 0
    return waiting.length > 0 ? rests.busy : rests.idle
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      const wait = await pass().catch((error) => {
        log.error({ err: error }, 'looking for clicks failed')
        return rests.idle
      })
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
