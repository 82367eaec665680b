import { DownloadFailed, TryFailed } from './download-failed.ts'
import type { DownloadRules } from './download-rules.ts'

/** Tries until it works or the retries are used up, and waits longer each time. */
export async function retried<Result>(
  { retries, wait }: DownloadRules,
  signal: AbortSignal,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof TryFailed)) throw error
      if (failures === retries) throw error.resort ?? lastOf(error, failures + 1)
      await wait(Math.max(backoff(failures), Math.min(error.retryAfterMs, longestAskedMs)), signal)
    }
  }
}

/** The value of a Retry-After header, seconds or a date, in milliseconds from now. */
export function readRetryAfter(value: string | undefined, now: Date): number {
  if (value === undefined) return 0
  const milliseconds = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now.getTime()
  return milliseconds > 0 ? milliseconds : 0
}

// All of those that failed together must not come back together.
const backoff = (failures: number) => Math.min(firstWaitMs * 2 ** failures, longestWaitMs) * (0.75 + Math.random() / 2)

const lastOf = (error: TryFailed, tries: number) =>
  new DownloadFailed(`${error.message} It was tried ${tries} times.`, error.permanent, error)

const firstWaitMs = 500
const longestWaitMs = 8_000
const longestAskedMs = 60_000
