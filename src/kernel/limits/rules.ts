/** How often one caller may call, and for how long a burst beyond that locks it out. */
export interface LimitRules {
  /** At most so many calls in any so many seconds; a call exactly as old as the window no longer counts. */
  readonly windows: readonly { name: string; calls: number; seconds: number }[]
  /** At most so many in a UTC day. */
  readonly day: number
  readonly blockSeconds: number
}

/** What became of a call, and how its caller stands after it. */
export interface Standing {
  admitted: boolean
  /** `block`, `day`, or the name of the window that was full. */
  reason?: string
  /** Calls left of the day. */
  remaining: number
  /** Seconds to midnight UTC. */
  resetSeconds: number
  retryAfter?: number
}

export const dayLength = 86_400_000
/** Clocks of several processes differ by less. */
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

/** Up to its last millisecond; a block that ends later than any can was set before the clock was set back. */
export function isBlocked(blockedUntil: number, at: number, { blockSeconds }: LimitRules): boolean {
  return at < blockedUntil && blockedUntil < at + blockSeconds * 1000 + clockDifference
}
