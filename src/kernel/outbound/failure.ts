export type OutboundFailureKind =
  | 'refused-address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'slow'
  | 'protocol'
  | 'aborted'
  | 'too-large'

/** A call to an external server that was not made or failed; the message may be shown to the user. */
export class OutboundFailure extends Error {
  override name = 'OutboundFailure'
  readonly kind: OutboundFailureKind
  /** Part of the request may have reached the server, so it may have taken effect. */
  sent = false

  constructor(kind: OutboundFailureKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/** What is wrong with an exchange on an open connection. */
type HttpErrorCode = 'invalid-request' | 'invalid-response' | 'large-headers' | 'closed'

export class HttpError extends Error {
  override name = 'HttpError'
  readonly code: HttpErrorCode

  constructor(code: HttpErrorCode, message: string = code) {
    super(message)
    this.code = code
  }
}

export const refused = (message: string) => new OutboundFailure('refused-address', message)

/** Converts an error during a call to a host into a user-facing failure. */
export function failureOf(error: unknown, host: string): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  const code = codeOf(error)
  if (code === 'large-headers' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundFailure('too-large', `The headers of the answer of ${host} are too large.`, error)
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED' || code === 'UND_ERR_ABORTED') {
    return new OutboundFailure('aborted', `The call to ${host} was given up.`, error)
  }
  if (brokenConnection.has(code) && !misspoken.has(String((error as Error).message))) {
    return new OutboundFailure('connect', `${host} closed the connection before its answer was complete.`, error)
  }
  if (code === 'invalid-request' || code === 'UND_ERR_INVALID_ARG') {
    return new OutboundFailure('protocol', `The request to ${host} is not valid HTTP.`, error)
  }
  return new OutboundFailure('protocol', `The answer of ${host} is not valid HTTP.`, error)
}

const brokenConnection = new Set([
  'closed',
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNABORTED',
  'EHOSTUNREACH',
])

// The client reports these as connection errors, but it closed the connection itself because of an invalid response.
const misspoken = new Set(['bad response', 'bad upgrade'])

const codeOf = (error: unknown) => String((error as { code?: unknown } | undefined)?.code ?? '')
