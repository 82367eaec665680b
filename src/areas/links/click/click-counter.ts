import { setTimeout as sleep } from 'node:timers/promises'
import { defaultBatchLimits, distinctAccounts } from '#kernel/database/across-accounts.ts'
import { createScan } from '#kernel/jobs/due-accounts.ts'
import { usualRhythm } from '#kernel/rhythm.ts'
import { isAboutValues, leaveOut } from '#kernel/unreadable.ts'
import { byAccount } from './click-bundle.ts'
import { type CountingInstallation, countClicks } from './count-clicks.ts'
import { atOnce, bundledClicks, type WaitingBundle, waitingBundles } from './waiting-clicks.ts'

export interface ClickCounter {
  /** Takes no more clicks, and finishes with those it has. */
  stop(): Promise<void>
}

/** For how long an account whose clicks cannot be counted is left alone, so that it holds up nobody else. */
const afterFailure = 5_000
/** Clicks are due as soon as they are there. */
const beginning = new Date(0)

/** Counts clicks from this process until it is stopped. Any number of processes may do so at once. */
export function startClickCounter(
  installation: CountingInstallation,
  rests = usualRhythm.clicks,
  limits = defaultBatchLimits,
): ClickCounter {
  const { database, log } = installation
  const findDue = createScan(database.shared, bundledClicks, limits.trackedAccounts)
  const stopping = new AbortController()
  const accounts = openAside<string>(afterFailure)
  const bundles = openAside<number>(rests.poisoned)

  const leaveOutBundle = (number: number, error: unknown) => {
    bundles.add(number)
    leaveOut(log, { kind: 'bundle of clicks', id: String(number) }, error)
  }
  const count = async (account: string, waiting: readonly WaitingBundle[]): Promise<number> => {
    const [first] = waiting
    if (!first || stopping.signal.aborted) return 0
    try {
      return await countClicks(installation, account, waiting)
    } catch (error) {
      if (!isAboutValues(error)) throw error
      // By halves, until the one it is about stands alone.
      const half = Math.floor(waiting.length / 2)
      if (half > 0) return (await count(account, waiting.slice(0, half))) + (await count(account, waiting.slice(half)))
      leaveOutBundle(first.number, error)
      return 0
    }
  }
  const countAll = async (account: string, own: readonly WaitingBundle[]): Promise<number> => {
    try {
      return await count(account, own)
    } catch (error) {
      accounts.add(account)
      log.error({ err: error, account, bundles: own.length }, 'counting clicks failed')
      return 0
    }
  }
  /** Some clicks of each of these accounts. Tells whether there are more, and counting gets on. */
  const countSome = async (some: readonly string[]): Promise<boolean> => {
    const waiting = await waitingBundles(database.shared, some, bundles.now(), leaveOutBundle)
    let counted = 0
    for (const [account, own] of byAccount(waiting)) counted += await countAll(account, own)
    return counted > 0 && waiting.reduce((sum, { clicks }) => sum + clicks.length, 0) >= atOnce
  }
  /** Tells how long to wait before the next. */
  const pass = async (): Promise<number> => {
    const aside = new Set(accounts.now())
    const found = (await findDue(beginning)).get('') ?? []
    const waiting = distinctAccounts(found).filter((account) => !aside.has(account))
    let isMore = false
    for (let from = 0; from < waiting.length; from += limits.accountsPerStatement)
      isMore = (await countSome(waiting.slice(from, from + limits.accountsPerStatement))) || isMore
    if (isMore) return 0
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

/** What is left alone for a while. */
function openAside<Key>(time: number) {
  const all = new Map<Key, number>()
  return {
    add: (key: Key) => void all.set(key, performance.now() + time),
    now(): Key[] {
      for (const [key, until] of all) if (until <= performance.now()) all.delete(key)
      return [...all.keys()]
    },
  }
}
