/** How many calls one user may make, and how long a burst beyond that locks the user out. */
export interface LimitRules {
  second: number
  fiveSeconds: number
  day: number
  blockSeconds: number
}

export type Reason = 'second' | 'fiveSeconds' | 'day' | 'block'

/** What became of a call, and how the user stands after it. */
export interface Standing {
  admitted: boolean
  reason?: Reason
  /** Calls left of the day. */
  remaining: number
  /** Seconds to midnight UTC. */
  resetSeconds: number
  retryAfter?: number
}

/** A call is in the window that ends at `t` when it came after `t - window`: one exactly that old no longer counts. */
export const secondWindow = 1_000
export const fiveSecondWindow = 5_000
export const dayLength = 86_400_000

/** The value of the RateLimit-Policy header. */
export function policyOf({ second, fiveSeconds, day }: LimitRules): string {
  return `"second";q=${second};w=1, "five";q=${fiveSeconds};w=5, "day";q=${day};w=86400`
}

/** The first millisecond of the UTC day. */
export function dayOf(time: number): number {
  return time - (time % dayLength)
}

/** A block that ends later than any can was set by a clock that was set back since; clocks of several processes differ by less. */
export function isBlocked(
  { blockedUntil }: { blockedUntil: number },
  at: number,
  { blockSeconds }: LimitRules,
): boolean {
  return at < blockedUntil && blockedUntil < at + blockSeconds * 1000 + clockDifference
}

const clockDifference = 60_000

export function admitted(remaining: number, at: number, day: number): Standing {
  return { admitted: true, remaining, resetSeconds: secondsUntil(day + dayLength, at) }
}

/** Day first, then bursts: a call past the day's end of calls starts no block, however fast it came. */
export function refused(reason: Reason, remaining: number, at: number, day: number, blockedUntil: number): Standing {
  const resetSeconds = secondsUntil(day + dayLength, at)
  const retryAfter = reason === 'day' ? resetSeconds : secondsUntil(blockedUntil, at)
  return { admitted: false, reason, remaining, resetSeconds, retryAfter }
}

function secondsUntil(time: number, at: number): number {
  return Math.max(1, Math.ceil((time - at) / 1000))
}
