import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { OutboundAnswer } from '#kernel/outbound/outbound.ts'
import type { OutboundRequest } from '#kernel/outbound/request.ts'
import type { Due } from './due.ts'
import { envelope } from './envelope.ts'
import type { Receiver } from './receiver.ts'
import { readRetryAfter } from './retry.ts'
import { signatureHeaders } from './signature.ts'

/** What came of a call. */
export interface Answer {
  succeeded: boolean
  /** 0 when none came. */
  status: number
  timedOut: boolean
  /** The receiver says it will never be there again. */
  gone: boolean
  retryAfter: number | undefined
  error: string
}

const timeoutMs = 15_000
const keptOfError = 500

/** The call that is made to a receiver: its body the same at every attempt, its time and signature that of this one. */
export function requestFor(agent: string, { webhookId, url, secrets }: Receiver, due: Due, now: Date): OutboundRequest {
  // Bytes, because they are needed three times: for each signature and for the wire.
  const body = Buffer.from(envelope(due, webhookId))
  const timestamp = Math.floor(now.getTime() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': agent,
    ...signatureHeaders({ webhookId, payloadId: due.id, timestamp, body }, secrets),
  }
  return { method: 'POST', url, headers, body, timeoutMs }
}

export function readAnswer({ status, headers, body }: OutboundAnswer, now: Date): Answer {
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

const success: Answer = {
  succeeded: true,
  status: 200,
  timedOut: false,
  gone: false,
  retryAfter: undefined,
  error: '',
}

/** A call that got no answer is one too; only the end of this process is thrown on. */
export function readFailure(error: unknown): Answer {
  if (!(error instanceof OutboundFailure) || error.kind === 'aborted') throw error
  const { kind, message } = error
  return { ...success, succeeded: false, status: 0, timedOut: kind === 'timeout', error: message }
}

/** The database cannot keep a zero character. */
const excerpt = (body: Buffer) =>
  body
    .subarray(0, 4 * keptOfError)
    .toString('utf8')
    .replaceAll('\0', '')
    .slice(0, keptOfError)
