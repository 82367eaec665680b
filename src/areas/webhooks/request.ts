import { createHmac } from 'node:crypto'
import type { Installation } from '#kernel/installation.ts'
import type { OutboundRequest } from '#kernel/outbound/exchange.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { OutboundAnswer } from '#kernel/outbound/outbound.ts'
import type { DueDelivery, WebhookRow } from './deliveries.ts'
import { openSecret } from './webhook.ts'

/** The HTTP request of a delivery: body and signatures, the evaluation of responses, and retries. */

export interface Receiver {
  webhookId: string
  url: string
  secrets: Secrets
}

/** After a rotation the previous secret signs as well, for a day. */
type Secrets = readonly [current: string, ...previous: string[]]

export function receiverOf({ keyring, clock }: Installation, accountId: string, webhook: WebhookRow): Receiver {
  const { id, secret, previousSecret, previousUntil, url } = webhook
  const isValid = previousSecret && previousUntil && previousUntil > clock.now()
  const previous = isValid ? [openSecret(keyring, { accountId, id }, previousSecret)] : []
  return { webhookId: id, url, secrets: [openSecret(keyring, { accountId, id }, secret), ...previous] }
}

const timeoutMs = 15_000

/** The body is the same at every attempt; timestamp and signature are those of this one. */
export function requestFor(
  userAgent: string,
  { webhookId, url, secrets }: Receiver,
  delivery: DueDelivery,
  now: Date,
): OutboundRequest {
  // Bytes: needed for each signature and for the socket.
  const body = Buffer.from(envelope(delivery, webhookId))
  const timestamp = Math.floor(now.getTime() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    ...signatureHeaders({ webhookId, payloadId: delivery.id, timestamp, body }, secrets),
  }
  return { method: 'POST', url, headers, body, timeoutMs }
}

export function envelope({ type, created, data }: { type: string; created: Date; data: string }, webhookId: string) {
  const seconds = Math.floor(created.getTime() / 1000)
  // `data` is already JSON; parsing and serializing it again would cost more than everything else here.
  return `{"event":${JSON.stringify(type)},"timestamp":${seconds},"webhookId":${JSON.stringify(webhookId)},"data":${data}}`
}

interface SignedRequest {
  webhookId: string
  payloadId: string
  /** Unix seconds of this attempt. */
  timestamp: number
  body: Buffer
}

/** Two schemes: the hex digest that existing clients verify, and Standard Webhooks with one signature per secret. */
function signatureHeaders(
  { webhookId, payloadId, timestamp, body }: SignedRequest,
  secrets: Secrets,
): Record<string, string> {
  const digest = createHmac('sha1', secrets[0]).update(body).digest('hex')
  const prefix = `${payloadId}.${timestamp}.`
  return {
    'x-oktopost-webhook': webhookId,
    'x-oktopost-payload': payloadId,
    // Existing clients and the published documentation name different headers; both get the same value.
    'x-oktopost-signature': digest,
    'x-oktopost-secret': digest,
    'webhook-id': payloadId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => standardSignature(secret, prefix, body)).join(' '),
  }
}

function standardSignature(secret: string, prefix: string, body: Buffer): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(prefix).update(body).digest('base64')}`
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
