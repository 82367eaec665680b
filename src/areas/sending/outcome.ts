import { Refusal } from '#kernel/errors.ts'
import type { Progress, Receipt } from '#networks/connector/draft.ts'
import { NetworkError } from '#networks/connector/fault.ts'
import { HeldSend } from './send-writes.ts'
import type { Send } from './sendable.ts'
import type { SendingRules } from './sending.ts'

/** What is to become of a send after something was done about it. */
export type Outcome =
  | { kind: 'sent'; receipt: Receipt }
  | { kind: 'failed'; error: string }
  /** Nobody can find out whether the network has it. */
  | { kind: 'unconfirmed'; error: string }
  /** It did not happen and may be tried again. */
  | { kind: 'again'; due: Date; error: string; wait?: { scope: 'network' | 'profile'; until: Date } }
  /** The network works on it. */
  | { kind: 'pending'; due: Date; progress: Progress }
  /** It may have happened. */
  | { kind: 'search'; due: Date; error: string }

interface Circumstances {
  send: Send
  /** Whether the call that cannot be repeated was about to be made, and when. */
  intent: Date | undefined
  rules: SendingRules
  now: Date
}

const seconds = 1_000
const minutes = 60 * seconds
export const longestRetry = 15 * minutes
const waits = [15 * seconds, minutes, 3 * minutes, 5 * minutes, 10 * minutes, longestRetry]

/** What follows from an attempt that ended with an error. Nothing that may have happened is ever tried again from here. */
export function outcomeOf(error: unknown, { send, intent, rules, now }: Circumstances): Outcome {
  const sentence = (error as Error).message
  const after = (wait: number) => new Date(now.getTime() + wait)
  const last = send.planned.getTime() + rules.lateness
  const again = (due: Date, wait?: { scope: 'network' | 'profile'; until: Date }): Outcome =>
    due.getTime() > Math.max(last, now.getTime() + minutes) && send.attempts > 0
      ? { kind: 'failed', error: sentence }
      : { kind: 'again', due, error: sentence, ...(wait && { wait }) }
  const backoff = waits[Math.min(send.attempts, waits.length) - 1] ?? (waits[0] as number)
  const search = (): Outcome => ({ kind: 'search', due: searchAt(rules, 0, intent ?? now, now), error: sentence })

  if (error instanceof HeldSend) return { kind: 'again', due: after(seconds), error: '' }
  if (error instanceof Refusal && error.kind !== 'unavailable')
    return intent ? search() : { kind: 'failed', error: sentence }
  if (!(error instanceof NetworkError)) return intent ? search() : again(after(backoff))
  const { fault } = error
  switch (fault.kind) {
    case 'unknownOutcome':
      return search()
    case 'duplicate':
      // After an attempt of our own it is most likely that one.
      return send.attempts > 1 ? search() : { kind: 'failed', error: sentence }
    case 'permanent':
      return { kind: 'failed', error: sentence }
    case 'token':
      return again(after(5 * minutes))
    case 'throttled': {
      const until = fault.until > now ? fault.until : after(minutes)
      return again(until, { scope: fault.scope === 'app' ? 'network' : 'profile', until })
    }
    case 'retryable':
      return again(after(Math.max(fault.afterMs ?? 0, backoff)))
  }
}

/** When to search for the n-th time, counted from when it was sent. */
export function searchAt({ searches }: SendingRules, number: number, intent: Date, now: Date): Date {
  const at = intent.getTime() + (searches[Math.min(number, searches.length - 1)] ?? 0)
  return new Date(Math.max(at, now.getTime()))
}
