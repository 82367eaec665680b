import type { Clock } from '../clock.ts'
import type { BatchLimits } from '../database/across-accounts.ts'
import type { DueAccounts } from './due-accounts.ts'

interface PollLoopOptions {
  clock: Clock
  dueAccounts: readonly DueAccounts[]
  /** Milliseconds between scans. */
  scanInterval: number
  /** Finds work that no notification announced. */
  scan(): Promise<void>
  /** Claims work of accounts that are due. Must not query the database if there are none. */
  claim(): Promise<void>
  onError(error: unknown): void
}

interface PollLoop {
  /** Claims as soon as the running step has ended. Call it whenever an account was added. */
  wake(): void
  /** Scans as soon as the running step has ended. */
  scanNow(): void
  /** Starts nothing more; resolves when the running step has ended. */
  stop(): Promise<void>
}

/** Scans may take this share of the time at most: a scan that takes long is repeated less often. */
const maxScanShare = 1 / 5
/** Milliseconds. Keeps the loop from spinning when a test clock is stopped. */
const minSleep = 10

/** Lookahead of a scan: beyond the next scan, even if that one is late. */
export const scanLookahead = (scanInterval: number) => 3 * scanInterval

/** Claims when accounts become due and scans at an interval, one step at a time. */
export function startPollLoop({ clock, dueAccounts, scanInterval, scan, claim, onError }: PollLoopOptions): PollLoop {
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let nextScan = 0
  let isClaimQueued = false
  let isScanQueued = false
  let stopped = false

  const claimThenSleep = async () => {
    await claim().catch(onError)
    if (dueAccounts.some((accounts) => accounts.needsScan())) scanNow()
    sleep()
  }
  const wake = () => {
    if (isClaimQueued || stopped) return
    isClaimQueued = true
    running = running.then(() => {
      isClaimQueued = false
      return claimThenSleep()
    })
  }
  const scanNow = () => {
    if (isScanQueued || stopped) return
    isScanQueued = true
    running = running.then(async () => {
      isScanQueued = false
      const started = performance.now()
      await scan().catch(onError)
      const duration = performance.now() - started
      nextScan = performance.now() + Math.max(scanInterval, duration / maxScanShare)
      await claimThenSleep()
    })
  }
  const sleep = () => {
    clearTimeout(timer)
    if (stopped) return
    const untilScan = nextScan - performance.now()
    const untilDue = Math.min(...dueAccounts.map((accounts) => accounts.nextDue())) - clock.now().getTime()
    // Never longer than a scan interval: the clock may be moved meanwhile.
    timer = setTimeout(onTimer, Math.max(minSleep, Math.min(untilScan, untilDue, scanInterval)))
  }
  const onTimer = () => (performance.now() >= nextScan ? scanNow() : wake())

  scanNow()
  return {
    wake,
    scanNow,
    stop() {
      stopped = true
      clearTimeout(timer)
      return running
    },
  }
}

/** An account and how much of its work this process is running. */
export interface AccountLoad {
  readonly account: string
  readonly running: number
}

export interface ClaimResult<Claim> {
  claims: readonly Claim[]
  /** Accounts that have, or may have, more due work. */
  accountsWithMore: ReadonlySet<string>
}

/** The part of `DueAccounts` that claiming needs. */
export type ClaimableAccounts = Pick<DueAccounts, 'ready' | 'take' | 'add' | 'requeue'>

interface FairClaimOptions<Claim> {
  accounts: ClaimableAccounts
  now: Date
  limits: BatchLimits
  freeSlots(): number
  /** Slots one account may use. */
  maxPerAccount: number
  running(account: string): number
  /** Claims up to `count` items of these accounts in one statement: fewest running first, then in the given order. */
  claim(accounts: readonly AccountLoad[], count: number): Promise<ClaimResult<Claim>>
  start(claim: Claim): void
}

/** Fills the free slots with work of accounts that are due: fewest running first, then longest waiting. */
export async function claimFairly<Claim extends { readonly account: string }>(options: FairClaimOptions<Claim>) {
  const { accounts, now, limits, maxPerAccount, claim, start } = options
  const queried = new Set<string>()
  // Slots that become free meanwhile are left for the next call, when other accounts may be due.
  let free = options.freeSlots()
  while (free > 0) {
    const waiting = selectAccounts(options, queried, Math.max(free, limits.accountsPerStatement))
    const chosen = waiting.slice(0, limits.accountsPerStatement)
    if (chosen.length === 0) return
    for (const { account } of chosen) {
      queried.add(account)
      accounts.take(account)
    }
    try {
      const count = slotsFor(waiting, chosen.length, free, maxPerAccount)
      const { claims, accountsWithMore } = await claim(chosen, count)
      free -= claims.length
      // An account that returned work may be queried again while there are free slots.
      for (const { account } of claims) queried.delete(account)
      const isFull = claims.length >= count
      for (const account of accountsWithMore) requeueAccount(accounts, account, now, isFull || !queried.has(account))
      for (const claimed of claims) start(claimed)
    } catch (error) {
      for (const { account } of chosen) accounts.add(account, new Date(now.getTime() + delayAfterFailure))
      throw error
    }
  }
}

/** Milliseconds until an account is queried again whose rows other workers had locked, or whose claim failed. */
const delayAfterContention = 100
const delayAfterFailure = 1_000

/** Requeues an account with more work: immediately if only slots were missing, after a delay if other workers had its rows locked. */
export function requeueAccount(accounts: ClaimableAccounts, account: string, now: Date, needsSlotsOnly: boolean) {
  if (needsSlotsOnly) accounts.requeue(account)
  else accounts.add(account, new Date(now.getTime() + delayAfterContention))
}

function selectAccounts<Claim>(
  { accounts, now, maxPerAccount, running }: FairClaimOptions<Claim>,
  queried: ReadonlySet<string>,
  count: number,
) {
  const idle: AccountLoad[] = []
  const busy: AccountLoad[] = []
  for (const account of accounts.ready(now)) {
    if (queried.has(account)) continue
    const load = { account, running: running(account) }
    if (load.running === 0) idle.push(load)
    else if (load.running < maxPerAccount) busy.push(load)
    if (idle.length >= count) return idle
  }
  return [...idle, ...busy.sort((one, other) => one.running - other.running)].slice(0, count)
}

/** Slots the first `chosen` accounts may fill if every waiting account used its maximum, allocated one level at a time. */
function slotsFor(waiting: readonly AccountLoad[], chosen: number, free: number, maxPerAccount: number): number {
  if (chosen >= waiting.length) return free
  let left = free
  let granted = 0
  for (let level = 0; level < maxPerAccount && left > 0; level++)
    for (const [index, { running }] of waiting.entries()) {
      // Sorted by load: all that follow have more.
      if (running > level || left === 0) break
      left--
      if (index < chosen) granted++
    }
  return granted
}

interface ClaimOutcome {
  accounts: readonly AccountLoad[]
  maxPerAccount: number
  candidates: readonly { readonly account: string }[]
  claimed: readonly { readonly account: string }[]
  /** The selection of candidates hit its limit. */
  isTruncated: boolean
}

/** Accounts that may have more after a claim: some candidates were not claimed, or the account reached its maximum. */
export function findAccountsWithMore(outcome: ClaimOutcome): Set<string> {
  const { accounts, maxPerAccount, isTruncated } = outcome
  const candidates = countByAccount(outcome.candidates)
  const claimed = countByAccount(outcome.claimed)
  const hasMore = ({ account, running }: AccountLoad) => {
    const own = candidates.get(account) ?? 0
    return isTruncated || own >= maxPerAccount - running || own > (claimed.get(account) ?? 0)
  }
  return new Set(accounts.filter(hasMore).map(({ account }) => account))
}

function countByAccount(rows: readonly { readonly account: string }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { account } of rows) counts.set(account, (counts.get(account) ?? 0) + 1)
  return counts
}
