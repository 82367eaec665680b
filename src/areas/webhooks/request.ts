import type { Installation } from '#kernel/installation.ts'
import type { OutboundRequest } from '#kernel/outbound/exchange.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { OutboundAnswer } from '#kernel/outbound/outbound.ts'
import { SigningKey } from '#kernel/secrets/signing-key.ts'
import type { DueDelivery, WebhookRow } from './deliveries.ts'
import { openSecret } from './webhook.ts'

/** The HTTP request of a delivery: body and two kinds of signatures, the evaluation of responses, and retries. */

export interface Receiver {
  webhookId: string
  url: string
  /** For the hex digest. */
  key: SigningKey
  /** For Standard Webhooks: after a rotation the previous secret signs as well, for a day. */
  standardKeys: readonly SigningKey[]
}

/** Returns a function that makes the receiver of a row, and decrypts secrets only after they have changed. */
export function rememberReceiver({ keyring, clock }: Installation, accountId: string) {
  let sealed: readonly string[] = []
  let keys: Pick<Receiver, 'key' | 'standardKeys'> | undefined
  return ({ id, url, secret, previousSecret, previousUntil }: WebhookRow): Receiver => {
    const isValid = previousSecret && previousUntil && previousUntil > clock.now()
    const current = isValid ? [secret, previousSecret] : [secret]
    if (!keys || current.join() !== sealed.join()) {
      const [first = '', ...previous] = current.map((one) => openSecret(keyring, { accountId, id }, one))
      keys = { key: new SigningKey('sha1', Buffer.from(first)), standardKeys: [first, ...previous].map(standardKey) }
      sealed = current
    }
    return { webhookId: id, url, ...keys }
  }
}

const standardKey = (secret: string) => new SigningKey('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))

const timeoutMs = 15_000

/** The body is the same at every attempt; timestamp and signature are those of this one. */
export function requestFor(userAgent: string, receiver: Receiver, delivery: DueDelivery, now: Date): OutboundRequest {
  const { webhookId, url, key, standardKeys } = receiver
  const { id } = delivery
  const body = envelope(delivery, webhookId)
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const digest = key.sign('hex', body)
  const prefix = `${id}.${timestamp}.`
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'x-oktopost-webhook': webhookId,
    'x-oktopost-payload': id,
    // Existing clients and the published documentation name different headers; both get the same value.
    'x-oktopost-signature': digest,
    'x-oktopost-secret': digest,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standardKeys.map((standard) => `v1,${standard.sign('base64', prefix, body)}`).join(' '),
  }
  return { method: 'POST', url, headers, body, timeoutMs }
}

export function envelope({ type, created, data }: { type: string; created: Date; data: string }, webhookId: string) {
  const seconds = Math.floor(created.getTime() / 1000)
  // `data` is already JSON; parsing and serializing it again would cost more than everything else here.
  return `{"event":${JSON.stringify(type)},"timestamp":${seconds},"webhookId":${JSON.stringify(webhookId)},"data":${data}}`
}

export interface CallResult {
  succeeded: boolean
  /** 0 without a response. */
  status: number
  timedOut: boolean
  /** The receiver responded 410. */
  gone: boolean
  /** Milliseconds, from the Retry-After header. */
  retryAfter: number | undefined
  error: string
}

const success: CallResult = {
  succeeded: true,
  status: 200,
  timedOut: false,
  gone: false,
  retryAfter: undefined,
  error: '',
}

export function readResponse({ status, headers, body }: OutboundAnswer, now: Date): CallResult {
  if (status >= 200 && status < 300) return { ...success, status }
  return {
    succeeded: false,
    status,
    timedOut: false,
    gone: status === 410,
    retryAfter: readRetryAfter(headers['retry-after'], now),
    error: `The receiver answered ${status}. ${excerpt(body)}`.trim(),
  }
}

/** A call without a response is a result, too; only the shutdown of this process is rethrown. */
export function readFailure(error: unknown): CallResult {
  if (!(error instanceof OutboundFailure) || error.kind === 'aborted') throw error
  const { kind, message } = error
  return { ...success, succeeded: false, status: 0, timedOut: kind === 'timeout', error: message }
}

const maxExcerpt = 500

/** Without NUL characters, which PostgreSQL cannot store. */
const excerpt = (body: Buffer) =>
  body
    .subarray(0, 4 * maxExcerpt)
    .toString('utf8')
    .replaceAll('\0', '')
    .slice(0, maxExcerpt)

const second = 1000
const jitter = 0.2
const minOverloadDelay = 60 * second
const overloadStatuses = new Set([429, 502, 504])

export type FailedCall = Pick<CallResult, 'status' | 'timedOut' | 'retryAfter'>

/** Milliseconds until the next attempt; undefined if there is none left. */
export function retryDelay(
  attempts: number,
  { status, timedOut, retryAfter = 0 }: FailedCall,
  delays: readonly number[],
  random: () => number = Math.random,
): number | undefined {
  const delay = delays[attempts - 1]
  if (delay === undefined) return undefined
  const spread = delay * (1 - jitter + 2 * jitter * random())
  const requested = Math.min(Math.max(spread, retryAfter), Math.max(spread, 2 * delay))
  return timedOut || overloadStatuses.has(status) ? Math.max(requested, minOverloadDelay) : requested
}

/** The longest delay that `retryDelay` can return for a configured delay. */
export const maxRetryDelay = (delay: number) => Math.max(2 * delay, minOverloadDelay)

/** Reads a Retry-After header, seconds or a date, as milliseconds from now. */
export function readRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined
  const milliseconds = /^\d{1,9}$/.test(value) ? Number(value) * second : Date.parse(value) - now.getTime()
  return milliseconds > 0 ? milliseconds : undefined
}
