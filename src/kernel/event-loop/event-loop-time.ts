import { Refusal } from '../errors.ts'
import { NoFreeSlot, openFairSemaphore } from '../fair-semaphore.ts'

/**
 * Shares the event loop of a process fairly between accounts. All work runs in small slices, so no slice delays others for long; but an
 * account with very many slices would still be ahead of all others. An account that used more than its share of the event loop, and much
 * more than the others, starts its next call a little later, and only while other accounts are active.
 */
export interface EventLoopTime {
  /** Delays the start of a call of this account until the event loop has had time for others. Usually undefined: no delay. */
  rest(owner: string): Promise<void> | undefined
  /** Runs work for this account once few other calls of it are in progress. */
  inTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result>
  /** The same for a part of work that has begun, such as a response being sent: it waits as long as necessary and is never refused. */
  partInTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result>
  /** Records milliseconds of event loop time for this account. */
  charge(owner: string, milliseconds: number): void
}

/** Burst an account may use beyond its share. */
const allowanceMs = 20
/** Charged per call and per turn in addition to the measured time: a small one takes about that much. */
const usualMs = 0.4
/** Factor for concurrent calls while no other account is active. */
const factorAlone = 5
/** Less is not recorded: recording takes time as well. */
const negligibleMs = 0.1
/** An account with a call within this time counts as active. */
const recentMs = 1_000
/** A call that has waited this long for other calls of the same account is refused. */
const patienceMs = 8_000

interface Waiter {
  /** Time at which it has waited too long. */
  until: number
  begin(): void
  giveUp(): void
}

/** `callsAtATime`: concurrent calls per account while other accounts are active. */
export function openEventLoopTime(callsAtATime: number): EventLoopTime {
  const slots = openFairSemaphore({ slots: Number.POSITIVE_INFINITY, share: callsAtATime })
  // Not unlimited: the next account has to wait for calls that have begun.
  const slotsAlone = openFairSemaphore({ slots: Number.POSITIVE_INFINITY, share: factorAlone * callsAtATime })
  const portion = openEventLoopShare()
  const use = openRecentUse()
  const debts = new Map<string, { milliseconds: number; at: number }>()
  const waiting = new Map<string, Waiter[]>()
  let last = { owner: '', at: Number.NEGATIVE_INFINITY }
  let lastOther = last

  const note = (owner: string) => {
    const at = performance.now()
    if (owner !== last.owner) {
      lastOther = last
      if (at - last.at < recentMs) portion.watch()
    }
    last = { owner, at }
  }
  const isAlone = (owner: string) => performance.now() - (owner === last.owner ? lastOther : last).at > recentMs
  const debtOf = (owner: string) => {
    const debt = debts.get(owner)
    return debt ? Math.max(0, debt.milliseconds - (performance.now() - debt.at) * portion.now()) : 0
  }
  const charge = (owner: string, milliseconds: number) => {
    if (milliseconds < negligibleMs) return
    const now = performance.now()
    use.add(owner, milliseconds, now)
    const debt = debts.get(owner)
    if (!debt) return void debts.set(owner, { milliseconds, at: now })
    debt.milliseconds = Math.max(0, debt.milliseconds - (now - debt.at) * portion.now()) + milliseconds
    debt.at = now
  }
  const mayBegin = (owner: string) => debtOf(owner) <= allowanceMs || isAlone(owner) || !use.isLargest(owner)

  /** Starts the waiting calls that may begin now, in order of arrival. */
  const letIn = (owner: string) => {
    const queue = waiting.get(owner) ?? []
    const now = performance.now()
    while (queue[0] && (queue[0].until < now || mayBegin(owner))) {
      const waiter = queue.shift() as Waiter
      if (waiter.until < now) waiter.giveUp()
      else waiter.begin()
    }
    if (queue.length === 0) waiting.delete(owner)
    else setTimeout(letIn, Math.min(Math.max(1, (debtOf(owner) - allowanceMs) / portion.now()), recentMs), owner)
  }

  const rest = (owner: string, patience = patienceMs): Promise<void> | undefined => {
    const queue = waiting.get(owner)
    if (!queue && mayBegin(owner)) {
      charge(owner, usualMs)
      return undefined
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        charge(owner, usualMs)
        resolve()
      }
      const waiter = { until: performance.now() + patience, begin, giveUp: () => reject(stillBusy()) }
      if (queue) queue.push(waiter)
      else {
        waiting.set(owner, [waiter])
        letIn(owner)
      }
    })
  }

  const inTurn = async <Result>(owner: string, work: () => Promise<Result>, patience: number): Promise<Result> => {
    const wanted = isAlone(owner) ? slotsAlone : slots
    const limits = Number.isFinite(patience) ? { patienceMs: patience } : {}
    if (!wanted.tryTake(owner)) await wanted.take(owner, limits).catch(refuse)
    try {
      // Another account may have become active in the meantime.
      const resting = rest(owner, patience)
      if (resting) await resting
      return await work()
    } finally {
      wanted.release(owner)
    }
  }

  return {
    rest(owner) {
      note(owner)
      return rest(owner)
    },
    inTurn: (owner, work) => inTurn(owner, work, patienceMs),
    partInTurn(owner, work) {
      // An account stays active while its response is being sent: other accounts come first if the event loop is late.
      note(owner)
      return inTurn(owner, work, Number.POSITIVE_INFINITY)
    },
    charge,
  }
}

const stillBusy = (cause?: unknown) =>
  new Refusal('unavailable', 'Other calls of this account are still being answered. Try again in a few seconds.', {
    retryAfter: 5,
    cause,
  })

function refuse(error: unknown): never {
  throw error instanceof NoFreeSlot ? stillBusy(error) : error
}

/**
 * The share of the event loop an account may use while others are active: half of it while the event loop keeps up, little while it is
 * late. A timer measures the delay, which includes both the process's own work and time it is not scheduled.
 */
export interface EventLoopShare {
  /** Between 0 and 1. */
  now(): number
  /** Call it whenever two accounts are active at about the same time; otherwise nothing is measured. */
  watch(): void
}

const most = 0.5
const least = 0.04
const measureMs = 10
/** A call enters the event loop some ten times: with more delay than this each time, it takes several times as long. */
const lateMs = 5
/** Drops immediately and recovers slowly, or other accounts would be delayed again and again. */
const fall = 0.3
const rise = 0.0002
/** Measuring stops when `watch` was not called for this long. */
const restMs = 1_000

export function openEventLoopShare(): EventLoopShare {
  let portion = most
  let watchedAt = 0
  let due = 0
  let timer: NodeJS.Timeout | undefined

  const next = (now: number) => {
    due = now + measureMs
    timer = setTimeout(measure, measureMs).unref()
  }
  const measure = () => {
    const now = performance.now()
    portion = now - due > lateMs ? Math.max(least, portion * fall) : Math.min(most, portion + rise)
    if (now - watchedAt < restMs) next(now)
    else {
      timer = undefined
      portion = most
    }
  }

  return {
    now: () => portion,
    watch() {
      watchedAt = performance.now()
      if (!timer) next(watchedAt)
    },
  }
}

/** Recent use of something by account, in milliseconds. */
export interface RecentUse {
  add(owner: string, milliseconds: number, now?: number): void
  /** Whether this account used much more than the others on average. */
  isLargest(owner: string): boolean
}

/** After this long about a third of the usage still counts. */
const lastingMs = 3_000
const muchMore = 2
/** How long the total over all accounts is cached: computing it takes time as well. */
const sumMs = 100
/** Accounts with less usage are dropped. */
const forgottenMs = 0.1

export function openRecentUse(): RecentUse {
  const uses = new Map<string, { milliseconds: number; at: number }>()
  let sum = { milliseconds: 0, owners: 0, at: Number.NEGATIVE_INFINITY }

  const lately = (use: { milliseconds: number; at: number } | undefined, now: number) =>
    use ? use.milliseconds * Math.exp((use.at - now) / lastingMs) : 0

  const addUp = (now: number) => {
    let milliseconds = 0
    for (const [owner, use] of uses) {
      const had = lately(use, now)
      if (had < forgottenMs) uses.delete(owner)
      else milliseconds += had
    }
    sum = { milliseconds, owners: uses.size, at: now }
  }

  return {
    add(owner, milliseconds, now = performance.now()) {
      const use = uses.get(owner)
      if (!use) return void uses.set(owner, { milliseconds, at: now })
      use.milliseconds = lately(use, now) + milliseconds
      use.at = now
    },
    isLargest(owner) {
      const now = performance.now()
      if (now - sum.at > sumMs) addUp(now)
      const own = lately(uses.get(owner), now)
      const others = Math.max(0, sum.milliseconds - own) / Math.max(1, sum.owners - 1)
      return own > muchMore * others
    },
  }
}

/** Continues in a later iteration of the event loop. */
type Continuation = () => void

/** Pending continuations by account. */
const waiting = new Map<string, Continuation[]>()

/**
 * Yields to other work. Long work runs in slices of a few milliseconds, and every event loop iteration runs only one such slice,
 * round-robin over accounts: however many accounts have long work, short work waits for at most one slice.
 */
export function inLaterIteration(owner: string, resume: Continuation) {
  if (waiting.size === 0) setImmediate(runNext)
  const queue = waiting.get(owner)
  if (queue) queue.push(resume)
  else waiting.set(owner, [resume])
}

function runNext() {
  const [next] = waiting
  if (!next) return
  const [owner, queue] = next
  const resume = queue.shift()
  // An account with more work moves behind all others.
  waiting.delete(owner)
  if (queue.length > 0) waiting.set(owner, queue)
  if (waiting.size > 0) setImmediate(runNext)
  resume?.()
}
