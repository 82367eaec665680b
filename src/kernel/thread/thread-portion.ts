/**
 * How much of the one thread an account may have while others ask too: half of it while the thread has time for all, little while it is
 * late. A timer tells how late it is; that counts what the thread does itself as well as what keeps it from running.
 */
export interface ThreadPortion {
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

export function openThreadPortion(): ThreadPortion {
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
