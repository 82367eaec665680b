const second = 1000
const spread = 0.2
const pause = 60 * second

export interface Failure {
  /** 0 when no answer came. */
  status: number
  timedOut: boolean
  /** What the receiver asked for, in milliseconds. */
  retryAfter: number | undefined
}

/** How long to wait after so many attempts; nothing when there is none left. */
export function waitAfter(
  attempts: number,
  { status, timedOut, retryAfter = 0 }: Failure,
  waits: readonly number[],
  chance: () => number = Math.random,
): number | undefined {
  const step = waits[attempts - 1]
  if (step === undefined) return undefined
  const spreadStep = step * (1 - spread + 2 * spread * chance())
  const asked = Math.min(Math.max(spreadStep, retryAfter), Math.max(spreadStep, 2 * step))
  // A receiver that is overwhelmed is left alone for a while.
  return timedOut || overwhelmed.has(status) ? Math.max(asked, pause) : asked
}

/** The longest any of these waits can become. */
export const longestWait = (step: number) => Math.max(2 * step, pause)

const overwhelmed = new Set([429, 502, 504])

/** The value of a Retry-After header, seconds or a date, in milliseconds from now. */
export function readRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined
  const milliseconds = /^\d{1,9}$/.test(value) ? Number(value) * second : Date.parse(value) - now.getTime()
  return milliseconds > 0 ? milliseconds : undefined
}
