import { Refusal } from '../errors.ts'
import { NoPlace, openFairPlaces } from '../fair-places.ts'
import { openThreadPortion } from './thread-portion.ts'
import { openThreadUse } from './thread-use.ts'

/**
 * Keeps the one thread of a process fair by account. All work is done in small pieces, so nobody waits long for any of them; but whoever
 * has very many pieces would still be ahead of everybody else all the time. An account that had more than its portion of the thread, and
 * much more than others had, begins its next call a little later, and only while others ask too.
 */
export interface ThreadTime {
  /** Waits, before a call of this account begins, until the thread has had time for others. Nothing to wait for is the usual case. */
  rest(owner: string): Promise<void> | undefined
  /** Does something for this account when few other calls of it are being worked on. */
  inTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result>
  /** The same for a part of something that has begun, as an answer that is being sent: it waits as long as it takes and is never refused. */
  partInTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result>
  /** Notes that the thread worked so many milliseconds for this account. */
  charge(owner: string, milliseconds: number): void
}

/** How much an account may have at once, beyond its portion. */
const allowanceMs = 20
/** Of every call and of every turn, beside what is measured: a small one takes about that much. */
const usualMs = 0.4
/** As many times as many calls are worked on at a time while nobody else asks. */
const timesAlone = 5
/** Less than that is not noted: noting takes time as well. */
const negligibleMs = 0.1
/** Whoever asked within this time counts as somebody who asks. */
const recentMs = 1_000
/** Who has waited this long for the other calls of the same account is told so. */
const patienceMs = 8_000

interface Waiter {
  /** When it has waited for too long. */
  until: number
  begin(): void
  giveUp(): void
}

/** `callsAtATime`: of one account, while others ask too. */
export function openThreadTime(callsAtATime: number): ThreadTime {
  const places = openFairPlaces({ places: Number.POSITIVE_INFINITY, share: callsAtATime })
  // Not without end: whoever comes next waits for those that have begun.
  const placesAlone = openFairPlaces({ places: Number.POSITIVE_INFINITY, share: timesAlone * callsAtATime })
  const portion = openThreadPortion()
  const use = openThreadUse()
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
    use.add(owner, milliseconds)
    debts.set(owner, { milliseconds: debtOf(owner) + milliseconds, at: performance.now() })
  }
  const mayBegin = (owner: string) => debtOf(owner) <= allowanceMs || isAlone(owner) || !use.isLargest(owner)

  /** Lets in those who may begin by now, in the order they came. */
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
    const wanted = isAlone(owner) ? placesAlone : places
    const limits = Number.isFinite(patience) ? { patienceMs: patience } : {}
    if (!wanted.tryTake(owner)) await wanted.take(owner, limits).catch(refuse)
    try {
      // Somebody else may have come while this one was waiting.
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
      // Whoever is being answered asks as long as it lasts: others come first if they are late.
      note(owner)
      return inTurn(owner, work, Number.POSITIVE_INFINITY)
    },
    charge,
  }
}

const stillBusy = (cause?: unknown) =>
  new Refusal('unavailable', 'Other calls of this account are still being answered. Try again in a few seconds.', {
    ...{ retryAfter: 5, cause },
  })

function refuse(error: unknown): never {
  throw error instanceof NoPlace ? stillBusy(error) : error
}
