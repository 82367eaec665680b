import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { Profile, ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Db } from '#kernel/database/database.ts'
import { Refusal } from '#kernel/errors.ts'
import type { Log } from '#kernel/log.ts'
import { SkippedRow, skipRow } from '#kernel/skipped-rows.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import type { Checkpoint, Progress, Receipt } from '#networks/connector/draft.ts'
import { explainRefusal, HeldSend, LostSend, type SendLedger, saveProgress } from './send-ledger.ts'
import type { Send, Sendable, SendKey } from './sendable.ts'

export interface SendingRules {
  /** Milliseconds a send may be late and still be made without a user's decision. */
  maxLateness: number
  /** Milliseconds from the request to each confirmation of a lost response, ascending; the last one decides. */
  confirmDelays: readonly number[]
}

/** Steps of a send that tests observe, each right after it is durable. */
export type SendStage = 'taken' | 'intended' | 'answered' | 'completed'

export type SendObserver = (stage: SendStage, send: SendKey) => void

export interface SendContext {
  installation: ProfileInstallation
  rules: SendingRules
  ledger: SendLedger
  onStage: SendObserver
  log: Log
}

/** A taken send with everything needed to perform it. */
export interface PreparedSend {
  send: Send
  content: unknown
  sendable: Sendable
  /** Refuses a profile that was deleted or cannot be used. */
  openProfile(): Profile
}

type Outcome =
  | { kind: 'sent'; receipt: Receipt }
  | { kind: 'failed'; error: string }
  /** It cannot be determined whether the network has it. */
  | { kind: 'unconfirmed'; error: string }
  /** It did not take effect and may be attempted again. */
  | { kind: 'retry'; due: Date; error: string; throttle?: Throttle }
  /** The network is processing it. */
  | { kind: 'pending'; due: Date; progress: Progress }
  /** It may have taken effect. */
  | { kind: 'confirm'; due: Date; error: string }

interface Throttle {
  scope: 'network' | 'profile'
  until: Date
}

/** The outcome, and the last checkpoint before the request that cannot be repeated. */
export interface Attempt {
  outcome: Outcome
  progress: Progress | null
}

/** Performs a send as far as the network allows. Throws only if the send was lost. */
export async function attemptSend(context: SendContext, db: Db, prepared: PreparedSend): Promise<Attempt> {
  const { installation, rules, ledger, onStage, log } = context
  const { send, content, sendable, openProfile } = prepared
  const { clock } = installation
  const profileKey = { accountId: send.accountId, id: send.credentialId }
  let progress = send.progress
  let intent: Date | undefined
  const save: Checkpoint = async (next) => {
    if (next.stage !== 'committing') {
      await saveProgress(db, send, next)
      progress = next
      return
    }
    if (!(await ledger.recordIntent(sendable, { send, progress: next }))) throw await explainRefusal(db, sendable, send)
    intent = clock.now()
    onStage('intended', send)
  }
  try {
    const step = await withProfile(
      installation,
      profileKey,
      (connector, actor) => sendable.perform({ send, content, connector, actor }, save, progress ?? undefined),
      openProfile,
    )
    onStage('answered', send)
    if (step.state === 'done') return { outcome: { kind: 'sent', receipt: step }, progress }
    const due = new Date(clock.now().getTime() + step.checkAfterMs)
    return { outcome: { kind: 'pending', due, progress: step.progress }, progress }
  } catch (error) {
    if (error instanceof LostSend) throw error
    if (error instanceof SkippedRow) skipRow(log, error, error)
    return { outcome: outcomeOfError(error, { send, intent, rules, now: clock.now() }), progress }
  }
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
export const maxRetryDelay = 15 * minute
const retryDelays = [15 * second, minute, 3 * minute, 5 * minute, 10 * minute, maxRetryDelay]

interface FailedAttempt {
  send: Send
  /** When the request that cannot be repeated was about to be made, if it came to that. */
  intent: Date | undefined
  rules: SendingRules
  now: Date
}

/** Classifies a failed attempt. A send that may have taken effect is never retried from here, only confirmed. */
function outcomeOfError(failure: unknown, { send, intent, rules, now }: FailedAttempt): Outcome {
  const error = (failure as Error).message
  const after = (delay: number) => new Date(now.getTime() + delay)
  const latest = send.planned.getTime() + rules.maxLateness
  const retry = (due: Date, throttle?: Throttle): Outcome =>
    due.getTime() > Math.max(latest, now.getTime() + minute) && send.attempts > 0
      ? { kind: 'failed', error }
      : { kind: 'retry', due, error, ...(throttle && { throttle }) }
  const backoff = retryDelays[Math.min(send.attempts, retryDelays.length) - 1] ?? (retryDelays[0] as number)
  const confirm = (): Outcome => ({ kind: 'confirm', due: confirmationDue(rules, 0, intent ?? now, now), error })

  if (failure instanceof HeldSend) return { kind: 'retry', due: after(second), error: '' }
  if (failure instanceof Refusal && failure.kind !== 'unavailable')
    return intent ? confirm() : { kind: 'failed', error }
  if (!(failure instanceof NetworkError)) return intent ? confirm() : retry(after(backoff))
  const { fault } = failure
  switch (fault.kind) {
    case 'unknownOutcome':
      return confirm()
    case 'duplicate':
      // After an attempt of our own, the duplicate is most likely that one.
      return send.attempts > 1 ? confirm() : { kind: 'failed', error }
    case 'permanent':
      return { kind: 'failed', error }
    case 'token':
      return retry(after(5 * minute))
    case 'throttled': {
      const until = fault.until > now ? fault.until : after(minute)
      // A long throttle of one endpoint, such as an upload quota until midnight, does not hold sends that use other endpoints.
      if (fault.scope === 'endpoint' && until.getTime() > now.getTime() + maxRetryDelay) return retry(until)
      return retry(until, { scope: fault.scope === 'app' ? 'network' : 'profile', until })
    }
    case 'retryable':
      return retry(after(Math.max(fault.afterMs ?? 0, backoff)))
  }
}

/** When the n-th confirmation is due, counted from the request. */
function confirmationDue({ confirmDelays }: SendingRules, index: number, intent: Date, now: Date): Date {
  const at = intent.getTime() + (confirmDelays[Math.min(index, confirmDelays.length - 1)] ?? 0)
  return new Date(Math.max(at, now.getTime()))
}

/** How long to retry a confirmation while the network cannot be reached. */
const confirmTimeout = 24 * hour

/** Asks the network about a send whose response was lost. Only the last confirmation may conclude that it did not take effect. */
export async function confirmSend(
  { installation, rules }: SendContext,
  { send, content, sendable, openProfile }: PreparedSend,
): Promise<Outcome & { confirmations: number }> {
  const { clock } = installation
  const since = send.intent ?? send.planned
  const confirmations = send.confirmations + 1
  const isLast = confirmations >= rules.confirmDelays.length
  const unconfirmed = (why: string) =>
    `It is not known whether ${send.network} has published the ${sendable.noun}. ${why} Check the profile: if it is there, mark it as sent; if not, send it again.`
  try {
    const profileKey = { accountId: send.accountId, id: send.credentialId }
    const found = await withProfile(
      installation,
      profileKey,
      (connector, actor) => sendable.findSent({ send, content, connector, actor }, since, send.progress ?? undefined),
      openProfile,
    )
    if (found.state === 'found') return { kind: 'sent', receipt: found, confirmations }
    if (!isLast)
      return {
        kind: 'confirm',
        due: confirmationDue(rules, confirmations, since, clock.now()),
        error: '',
        confirmations,
      }
    if (found.state === 'undecidable') return { kind: 'unconfirmed', error: unconfirmed(found.why), confirmations }
    if (clock.now().getTime() > send.planned.getTime() + rules.maxLateness)
      return {
        kind: 'failed',
        error: `${send.network} does not have the ${sendable.noun}: it did not get through. You can send it again.`,
        confirmations,
      }
    return { kind: 'retry', due: clock.now(), error: '', confirmations }
  } catch (failure) {
    const error = (failure as Error).message
    if (clock.now().getTime() > since.getTime() + confirmTimeout)
      return { kind: 'unconfirmed', error: unconfirmed(error), confirmations }
    // This one was inconclusive and does not count.
    return { kind: 'confirm', due: new Date(clock.now().getTime() + minute), error, confirmations: send.confirmations }
  }
}
