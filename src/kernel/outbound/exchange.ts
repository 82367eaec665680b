import type { Readable } from 'node:stream'
import type { Deadline, PaceRule } from './deadline.ts'
import { failureOf, OutboundFailure } from './failure.ts'
import type { OriginPools } from './origin-pool.ts'
import type { Collected } from './response-reader.ts'
import { readLink } from './target.ts'

/** URL, status and headers of a response. */
interface Head {
  status: number
  headers: Record<string, string>
  url: URL
}

/** A response whose body is still to be read; destroying the body drops the connection. */
export interface StreamedResponse extends Head {
  body: Readable
}

interface BufferedResponse extends Head, Collected {}

/** Sends a single request. */
type Send<Answer> = (request: OutboundRequest, url: URL, pools: OriginPools, deadline: Deadline) => Promise<Answer>

/** Sends a request and follows as many redirects as it allows. */
export async function follow<Answer extends Head>(
  send: Send<Answer>,
  request: OutboundRequest,
  url: URL,
  pools: OriginPools,
  deadline: Deadline,
): Promise<Answer> {
  const allowed = request.redirects ?? 0
  let current = request
  let at = url
  for (let hops = 0; ; hops += 1) {
    const answer = await send(current, at, pools, deadline)
    const { location } = answer.headers
    if (allowed === 0 || !isRedirect(answer.status) || location === undefined) return answer
    if ('body' in answer) drop(answer.body)
    if (hops === allowed) throw tooManyRedirects(answer.url, allowed)
    at = readLink(location, answer.url)
    current = nextRequest(current, answer.url, at, answer.status)
  }
}

/** Keeps the beginning of the response body. */
export const sendBuffered: Send<BufferedResponse> = async (request, url, pools, deadline) => {
  const { method, body, bodyBytes, maximumBytes = 16_384 } = request
  const head = headOf(request, url)
  const acquiring = pools.enter(url, deadline)
  const slot = acquiring instanceof Promise ? await acquiring : acquiring
  try {
    const response = await slot.connection().send({ method, head, body, bodyBytes }, maximumBytes, deadline)
    slot.release(true)
    const { status, headers, body: received, truncated } = response
    return { status, headers, body: received, truncated, url }
  } catch (error) {
    slot.release(false)
    throw explain(error, url, pools, deadline)
  }
}

/** Returns the response as soon as its headers have arrived. */
export const sendStreaming: Send<StreamedResponse> = async (request, url, pools, deadline) => {
  const headers = outgoingHeaders(request)
  const acquiring = pools.enter(url, deadline)
  const slot = acquiring instanceof Promise ? await acquiring : acquiring
  try {
    const { method, body } = request
    const path = url.pathname + url.search
    const { signal } = deadline
    deadline.sent = true
    const answer = await slot.client().request({
      method,
      path,
      headers,
      body: body as Readable,
      signal,
      highWaterMark,
    })
    // A partly read body leaves bytes on the connection, so it can't be reused.
    answer.body.once('close', () => slot.release(answer.body.readableEnded))
    // The reader of the body receives its errors; an unread body must not crash the process.
    answer.body.on('error', () => {})
    return { status: answer.statusCode, headers: flat(answer.headers), url, body: answer.body }
  } catch (error) {
    slot.release(false)
    throw explain(error, url, pools, deadline)
  }
}

function explain(error: unknown, url: URL, pools: OriginPools, { sent }: Deadline): OutboundFailure {
  const failure = failureOf(error, url.host)
  failure.sent = sent
  // The host may have moved to other IP addresses.
  if (failure.kind === 'connect' || failure.kind === 'tls') pools.forget(url)
  return failure
}

const drop = (body: unknown) => (body as Partial<Readable>).destroy?.()

const highWaterMark = 16_384

const tooManyRedirects = (url: URL, allowed: number) =>
  new OutboundFailure(
    'protocol',
    `${url.host} redirects again after ${allowed} ${allowed === 1 ? 'redirect' : 'redirects'}.`,
  )

export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers?: Readonly<Record<string, string>>
  /** A body that is too large for memory is an iterable with its length. */
  body?: string | Uint8Array | AsyncIterable<Uint8Array>
  bodyBytes?: number
  /** Timeout of the whole exchange, from the DNS query to the last byte; 15 seconds by default. */
  timeoutMs?: number
  /** Maximum size of the response body: `send` stops reading there (16 KiB by default), `stream` rejects (unlimited by default). */
  maximumBytes?: number
  /** Maximum number of redirects, each checked like the first URL; none by default. */
  redirects?: number
  signal?: AbortSignal
  /** For `stream`: minimum transfer rate; 16 KiB per second over half a minute by default. */
  pace?: PaceRule
}

/** The request headers, without those that callers can't set because they control routing and message framing. */
function outgoingHeaders({ headers = {}, bodyBytes }: OutboundRequest): Record<string, string> {
  const sent: Record<string, string> = { 'accept-encoding': 'identity' }
  if (bodyBytes !== undefined) sent['content-length'] = String(bodyBytes)
  for (const name in headers) if (isSent(name)) sent[name] = headers[name] ?? ''
  return sent
}

/** The request line and the headers, except the length of the body. */
function headOf({ method, headers = {} }: OutboundRequest, { pathname, search, host }: URL): string {
  let head = `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\naccept-encoding: identity\r\n`
  for (const name in headers) {
    if (!isSent(name)) continue
    const value = headers[name] ?? ''
    if (!headerValue.test(value)) throw new OutboundFailure('protocol', `The request to ${host} is not valid HTTP.`)
    head += `${name}: ${value}\r\n`
  }
  return head
}

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Names of headers that were checked, with the result: the same few are sent again and again. */
const checkedNames = new Map<string, boolean>()
const maximumChecked = 1_000

/** Throws unless callers may set the header; false if it is always sent in the same way. */
function isSent(name: string): boolean {
  const known = checkedNames.get(name)
  if (known !== undefined) return known
  const lower = name.toLowerCase()
  if (!headerName.test(name) || reservedHeaders.has(lower))
    throw new OutboundFailure('protocol', `The header ${name} cannot be set.`)
  if (checkedNames.size >= maximumChecked) checkedNames.clear()
  checkedNames.set(name, lower !== 'accept-encoding')
  return lower !== 'accept-encoding'
}

/** The request that follows a redirect. */
function nextRequest(request: OutboundRequest, from: URL, to: URL, status: number): OutboundRequest {
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new OutboundFailure('protocol', `${from.host} redirects to an address without encryption.`)
  }
  const headers = Object.entries(request.headers ?? {})
  // Another origin must not receive signatures and keys meant for the first.
  const forwarded = from.origin === to.origin ? headers : headers.filter(([name]) => harmless.has(name.toLowerCase()))
  const next = { ...request, url: to.href, headers: Object.fromEntries(forwarded) }
  if (!becomesGet(request.method, status)) return next
  const { body: _dropped, bodyBytes: _length, ...withoutBody } = next
  const aboutBody = (name: string) => name.toLowerCase().startsWith('content-')
  return { ...withoutBody, method: 'GET', headers: Object.fromEntries(forwarded.filter(([name]) => !aboutBody(name))) }
}

const isRedirect = (status: number) => redirectStatuses.has(status)

const reservedHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const harmless = new Set(['accept', 'accept-language', 'content-type', 'if-range', 'range', 'user-agent'])

const redirectStatuses = new Set([301, 302, 303, 307, 308])

// As in browsers: only 307 and 308 keep the method of a form.
const becomesGet = (method: string, status: number) =>
  method !== 'GET' && method !== 'HEAD' && (status === 303 || ((status === 301 || status === 302) && method === 'POST'))

/** Joins repeated headers. */
function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    plain[name] = typeof value === 'string' ? value : [value].flat().join(', ')
  }
  return plain
}
