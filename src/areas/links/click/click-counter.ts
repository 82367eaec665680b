import { setTimeout as sleep } from 'node:timers/promises'
import { type CountingWorld, countClicks } from './count-clicks.ts'
import { atOnce, type WaitingClick, waitingClicks } from './waiting-clicks.ts'

export interface ClickCounter {
  /** Takes no more clicks, and finishes with those it has. */
  stop(): Promise<void>
}

const whileBusy = 250
const whileIdle = 500
/** For how long an account whose clicks cannot be counted is left alone, so that it holds up nobody else. */
const afterFailure = 5_000

/** Counts clicks from this process until it is stopped. Any number of processes may do so at once. */
export function startClickCounter(world: CountingWorld): ClickCounter {
  const { database, log } = world
  const stopping = new AbortController()
  const failed = new Map<string, number>()

  /** Tells how long to wait before the next. */
  const pass = async (): Promise<number> => {
    for (const [account, until] of failed) if (until <= performance.now()) failed.delete(account)
    const waiting = await waitingClicks(database.shared, [...failed.keys()])
    let counted = 0
    for (const [account, clicks] of byAccount(waiting)) {
      if (stopping.signal.aborted) break
      try {
        counted += await countClicks(world, account, clicks)
      } catch (error) {
        failed.set(account, performance.now() + afterFailure)
        log.error({ err: error, account, clicks: clicks.length }, 'counting clicks failed')
      }
    }
    if (waiting.length === atOnce && counted > 0) return 0
    return waiting.length > 0 ? whileBusy : whileIdle
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      const wait = await pass().catch((error) => {
        log.error({ err: error }, 'looking for clicks failed')
        return whileIdle
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

function byAccount(clicks: readonly WaitingClick[]): Map<string, WaitingClick[]> {
  const accounts = new Map<string, WaitingClick[]>()
  for (const click of clicks) {
    const some = accounts.get(click.account)
    if (some) some.push(click)
    else accounts.set(click.account, [click])
  }
  return accounts
}
