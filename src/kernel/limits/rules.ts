/** Rate limits of a caller, and how long a burst beyond them blocks it. */
export interface LimitRules {
  /** Maximum calls in any interval of this many seconds; a call exactly as old as the window no longer counts. */
  readonly windows: readonly { name: string; calls: number; seconds: number }[]
  /** Maximum calls per UTC day. */
  readonly day: number
  readonly blockSeconds: number
}

/** The decision about a call and the caller's status after it. */
export interface Decision {
  admitted: boolean
  /** `block`, `day`, or the name of the window that was full. */
  reason?: string
  /** Calls left today. */
  remaining: number
  /** Seconds until midnight UTC. */
  resetSeconds: number
  retryAfter?: number
}

export const dayLength = 86_400_000
/** Upper bound of the difference between process clocks. */
export const clockDifference = 60_000

/** The value of the RateLimit-Policy header. */
export function policyOf({ windows, day }: LimitRules): string {
  const all = [...windows, { name: 'day', calls: day, seconds: dayLength / 1000 }]
  return all.map(({ name, calls, seconds }) => `"${name}";q=${calls};w=${seconds}`).join(', ')
}

/** The first millisecond of the UTC day. */
export function dayOf(time: number): number {
  return time - (time % dayLength)
}

/** Up to its last millisecond; a block that ends later than possible was set before the clock was set back. */
export function isBlocked(blockedUntil: number, at: number, { blockSeconds }: LimitRules): boolean {
  return at < blockedUntil && blockedUntil < at + blockSeconds * 1000 + clockDifference
}
