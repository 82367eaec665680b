import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { Due } from './due.ts'
import { envelope } from './envelope.ts'
import type { Receiver } from './receiver.ts'
import { readRetryAfter } from './retry.ts'
import { signatureHeaders } from './signature.ts'

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

/** Calls a receiver once. Whatever comes of it is an answer; only the end of this process is thrown. */
export async function attempt(
  outbound: Outbound,
  agent: string,
  receiver: Receiver,
  due: Due,
  now: Date,
): Promise<Answer> {
  const { webhookId, url, secrets } = receiver
  // Bytes, because they are needed three times: for each signature and for the wire.
  const body = Buffer.from(envelope(due, webhookId))
  const timestamp = Math.floor(now.getTime() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': agent,
    ...signatureHeaders({ webhookId, payloadId: due.id, timestamp, body }, secrets),
  }
  try {
    const answer = await outbound.send({ method: 'POST', url, headers, body, timeoutMs })
    const { status } = answer
    const succeeded = status >= 200 && status < 300
    return {
      succeeded,
      status,
      timedOut: false,
      gone: status === 410,
      retryAfter: succeeded ? undefined : readRetryAfter(answer.headers['retry-after'], now),
      error: succeeded ? '' : `The receiver answered ${status}. ${excerpt(answer.body)}`.trim(),
    }
  } catch (error) {
    if (!(error instanceof OutboundFailure) || error.kind === 'aborted') throw error
    return {
      succeeded: false,
      status: 0,
      timedOut: error.kind === 'timeout',
      gone: false,
      retryAfter: undefined,
      error: error.message,
    }
  }
}

/** The database cannot keep a zero character. */
const excerpt = (body: Buffer) =>
  body
    .subarray(0, 4 * keptOfError)
    .toString('utf8')
    .replaceAll('\0', '')
    .slice(0, keptOfError)
