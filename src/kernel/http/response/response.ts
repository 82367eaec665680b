import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { isLostNode } from '../../database/cluster/cluster.ts'
import { type Categories, Refusal, type RefusalKind, statusCodes } from '../../errors.ts'
import type { SessionCookie } from '../auth/authentication.ts'
import type { Written } from './streaming.ts'

export interface Answer {
  status: number
  body: string
  /** The rest of a response that is too large for memory, after `body`. */
  rest?: Written['rest']
  /** Session cookie to set in the caller's browser. */
  cookie?: SessionCookie | 'none' | undefined
  /** ETag of the response. */
  tag?: string | undefined
}

export const errorBody = (message: string, beside: Categories = {}) =>
  JSON.stringify({ Result: false, Errors: { API: { Error: message }, ...beside } })

export const statusOf = ({ kind }: Refusal): number => statusCodes[kind]

export const refusalAnswer = ({ kind, message, beside, isListed }: Refusal): Answer => ({
  status: statusCodes[kind],
  body: isListed ? JSON.stringify({ Result: false, Errors: [message] }) : errorBody(message, beside),
})

/** Every API response is JSON and never empty, and other sites' pages can't read it. */
export function send(reply: FastifyReply, { status, body }: { status: number; body: string | Buffer }) {
  return reply.code(status).headers(interfaceHeaders).send(body)
}

export const interfaceHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal) {
  if (refusal.kind === 'unauthenticated' && !isConsole(reply)) reply.header('www-authenticate', challenge)
  if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter))
  return send(reply, refusalAnswer(refusal))
}

export const challenge = 'Basic realm="Chorus", charset="UTF-8"'

/**
 * For console requests: with a WWW-Authenticate challenge the browser would prompt for an API key, where the console asks for a password.
 */
const isConsole = ({ request: { url, headers } }: FastifyReply) =>
  url.startsWith('/app/api/') && (headers['sec-fetch-site'] !== undefined || headers['x-chorus-console'] !== undefined)

/** Turns an error into a refusal; undefined for an internal error. */
export function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string }
  if (isConnectionProblem(code, message))
    return new Refusal('unavailable', databaseBusy, { retryAfter: 5, cause: error })
  if (code && code in databaseRefusals)
    return new Refusal(...(databaseRefusals[code] as [RefusalKind, string]), { cause: error })
  return statusCode && statusCode >= 400 && statusCode < 500
    ? new Refusal('invalid', `The request could not be read: ${message}`)
    : undefined
}

const databaseBusy = 'The database cannot answer right now. Try again in a few seconds.'

/** Messages for constraint violations when a race got past the check that has a better message. */
const databaseRefusals: Record<string, [RefusalKind, string]> = {
  '22003': ['invalid', 'A number is out of range.'],
  '22008': ['invalid', 'A date is out of range.'],
  '22021': ['invalid', 'A text contains a character that cannot be stored.'],
  '22P05': ['invalid', 'A text contains a character that cannot be stored.'],
  '23503': ['conflict', 'Something this refers to was deleted in the meantime.'],
  '23505': ['conflict', 'Such an item exists already.'],
  '40001': ['conflict', 'The same item was changed at the same moment. Try again.'],
  '40P01': ['conflict', 'The same item was changed at the same moment. Try again.'],
}

/** Connection lost or refused, server shutting down, out of resources, read-only, or too slow. */
function isConnectionProblem(code: string | undefined, message: string | undefined): boolean {
  if (isLostNode(code, message)) return true
  if (code && /^(08|53|57|25006|ECONN|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH)/.test(code)) return true
  return !code && /Connection terminated|not queryable|Connection ended/.test(message ?? '')
}

const pack = promisify(gzip)

/** Below this size compression doesn't pay off. */
const worthPacking = 8 * 1024

/** Whether a client accepts gzip responses. */
export const takesGzip = (accepts: string | undefined) =>
  accepts?.includes('gzip') === true && !accepts.includes('gzip;q=0')

/** Whether a response is compressed: if it is large and the client accepts gzip. */
export const isWorthPacking = (body: string, accepts: string | undefined) =>
  body.length >= worthPacking && takesGzip(accepts)

/** Compresses a response off the event loop. */
export function packed(body: string): Promise<Buffer> {
  // Level 1 compresses a calendar of five thousand posts to a twentieth in a few milliseconds; higher levels gain little.
  return pack(body, { level: 1 })
}
