import { Refusal } from '../errors.ts'
import { NoFreeSlot, openFairSemaphore } from '../fair-semaphore.ts'

/**
 * Keeps the one thread of a process fair by account. All work is done in small pieces, so nobody waits long for any of them; but whoever
 * has very many pieces would still be ahead of everybody else all the time. An account that had more than its portion of the thread, and
 * much more than others had, begins its next call a little later, and only while others ask too.
 */
export interface EventLoopTime {
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
export function openEventLoopTime(callsAtATime: number): EventLoopTime {
  const places = openFairSemaphore({ places: Number.POSITIVE_INFINITY, share: callsAtATime })
  // Not without end: whoever comes next waits for those that have begun.
  const placesAlone = openFairSemaphore({ places: Number.POSITIVE_INFINITY, share: timesAlone * callsAtATime })
  const portion = openEventLoopShare()
  const use = openEventLoopUse()
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
    retryAfter: 5,
    cause,
  })

function refuse(error: unknown): never {
  throw error instanceof NoFreeSlot ? stillBusy(error) : error
}

/**
 * How much of the one thread an account may have while others ask too: half of it while the thread has time for all, little while it is
 * late. A timer tells how late it is; that counts what the thread does itself as well as what keeps it from running.
 */
export interface EventLoopShare {
  /** Between 0 and 1. */
  now(): number
  /** To be told whenever two accounts ask at about the same time; nobody looks otherwise. */
  watch(): void
}

const most = 0.5
const least = 0.04
const lookMs = 10
/** A call comes to the thread some ten times: later than this each time, and it takes several times as long. */
const lateMs = 5
/** Falls at once when it must and comes back slowly, or others would be hurt again and again. */
const fall = 0.3
const rise = 0.0002
/** Nobody looks any more when nobody told of two accounts for this long. */
const restMs = 1_000

export function openEventLoopShare(): EventLoopShare {
  let portion = most
  let watchedAt = 0
  let due = 0
  let timer: NodeJS.Timeout | undefined

  const next = (now: number) => {
    due = now + lookMs
    timer = setTimeout(look, lookMs).unref()
  }
  const look = () => {
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

/** Who had how much of the thread lately. */
export interface EventLoopUse {
  add(owner: string, milliseconds: number): void
  /** Whether this one had much more than the others had on average. */
  isLargest(owner: string): boolean
}

/** After this long about a third of what somebody had still counts. */
const lastingMs = 3_000
const muchMore = 2
/** How long a sum over all of them is good for: making it takes time as well. */
const sumMs = 100
/** Who had less than this is forgotten. */
const forgottenMs = 0.1

export function openEventLoopUse(): EventLoopUse {
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
    add(owner, milliseconds) {
      const now = performance.now()
      uses.set(owner, { milliseconds: lately(uses.get(owner), now) + milliseconds, at: now })
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

/** Goes on in a later turn of the event loop. */
type GoOn = () => void

/** Those who have more to do, by the account they do it for. */
const waiting = new Map<string, GoOn[]>()

/**
 * Lets others in between. Whatever takes long is done in pieces of a few milliseconds, and every turn of the loop has one such piece
 * only, the accounts one after the other: however many have much to do, nobody with little to do waits for more than one of them.
 */
export function inAnotherTurn(owner: string, goOn: GoOn) {
  if (waiting.size === 0) setImmediate(turn)
  const queue = waiting.get(owner)
  if (queue) queue.push(goOn)
  else waiting.set(owner, [goOn])
}

function turn() {
  const [next] = waiting
  if (!next) return
  const [owner, queue] = next
  const goOn = queue.shift()
  // Whoever has more comes after all others.
  waiting.delete(owner)
  if (queue.length > 0) waiting.set(owner, queue)
  if (waiting.size > 0) setImmediate(turn)
  goOn?.()
}
