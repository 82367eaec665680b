import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Deadline, PaceRule } from './deadline.ts'
import { failureOf, OutboundFailure } from './failure.ts'
import type { OriginPools } from './origin-pool.ts'
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
  const headers = outgoingHeaders(request)
  const acquiring = pools.enter(url, deadline)
  const connection = acquiring instanceof Promise ? await acquiring : acquiring
  try {
    const { method, body: sent = null } = request
    const options = {
      method,
      path: url.pathname + url.search,
      headers,
      body: sent as Dispatcher.DispatchOptions['body'],
    }
    const {
      status,
      headers: got,
      body,
      truncated,
    } = await collect(connection.client, options, maximumOf(request), deadline)
    connection.release(!truncated)
    return { status, headers: got, body, truncated, url }
  } catch (error) {
    connection.release(false)
    throw explain(error, url, pools, deadline)
  }
}

/** Returns the response as soon as its headers have arrived. */
export const sendStreaming: Send<StreamedResponse> = async (request, url, pools, deadline) => {
  const headers = outgoingHeaders(request)
  const acquiring = pools.enter(url, deadline)
  const connection = acquiring instanceof Promise ? await acquiring : acquiring
  try {
    const { method, body } = request
    const path = url.pathname + url.search
    const { signal } = deadline
    deadline.sent = true
    const answer = await connection.client.request({
      method,
      path,
      headers,
      body: body as Readable,
      signal,
      highWaterMark,
    })
    // A partly read body leaves bytes on the connection, so it can't be reused.
    answer.body.once('close', () => connection.release(answer.body.readableEnded))
    // The reader of the body receives its errors; an unread body must not crash the process.
    answer.body.on('error', () => {})
    return { status: answer.statusCode, headers: flat(answer.headers), url, body: answer.body }
  } catch (error) {
    connection.release(false)
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

const maximumOf = ({ maximumBytes = 16_384 }: OutboundRequest) => maximumBytes

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

/** The request headers. Callers can't set those that control routing and message framing. */
function outgoingHeaders({ headers = {}, bodyBytes }: OutboundRequest): Record<string, string> {
  const sent: Record<string, string> = { 'accept-encoding': 'identity' }
  if (bodyBytes !== undefined) sent['content-length'] = String(bodyBytes)
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (reservedHeaders.has(lower)) throw new OutboundFailure('protocol', `The header ${name} cannot be set.`)
    if (lower !== 'accept-encoding') sent[name] = value
  }
  return sent
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

/** The beginning of a response. */
interface Collected {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** The rest of the body was not read. */
  truncated: boolean
}

/** Sends a request and keeps the beginning of its response. Without streams, which would cost more than a short call itself. */
function collect(
  client: Dispatcher,
  request: Dispatcher.DispatchOptions,
  maximum: number,
  deadline: Deadline,
): Promise<Collected> {
  return new Promise((resolve, reject) => {
    client.dispatch(request, new Collector(maximum, deadline, resolve, reject))
  })
}

/** Callbacks of the client while a response arrives. A class, because one is created for every call. */
class Collector implements Dispatcher.DispatchHandler {
  private readonly maximum: number
  private readonly deadline: Deadline
  private readonly resolve: (answer: Collected) => void
  private readonly reject: (error: unknown) => void
  private controller: Dispatcher.DispatchController | undefined
  private readonly chunks: Buffer[] = []
  private size = 0
  private status = 0
  private headers: Record<string, string> = {}

  constructor(
    maximum: number,
    deadline: Deadline,
    resolve: (answer: Collected) => void,
    reject: (error: unknown) => void,
  ) {
    this.maximum = maximum
    this.deadline = deadline
    this.resolve = resolve
    this.reject = reject
    deadline.onEnd(this.giveUp)
  }

  /** Also called while the connection is being opened, when there is no request to abort yet. */
  private readonly giveUp = (reason: OutboundFailure) => {
    this.controller?.abort(reason)
    this.reject(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.controller = controller
    this.deadline.sent = true
    // The deadline may have passed while the connection was being opened.
    if (this.deadline.reason) controller.abort(this.deadline.reason)
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>) {
    this.status = status
    this.headers = flat(headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    // A copy: the chunk may be a view of a large buffer that would stay in memory with it.
    const wanted = this.maximum - this.size
    if (wanted > 0) this.chunks.push(Buffer.from(chunk.subarray(0, wanted)))
    this.size += chunk.length
    if (this.size <= this.maximum) return
    this.finish(true)
    controller.abort(enough)
  }

  onResponseEnd() {
    this.finish(false)
  }

  onResponseError(_controller: unknown, error: Error) {
    this.deadline.removeListener(this.giveUp)
    this.reject(error)
  }

  private finish(truncated: boolean) {
    const { status, headers, chunks } = this
    this.deadline.removeListener(this.giveUp)
    this.resolve({ status, headers, body: chunks.length === 0 ? nothing : Buffer.concat(chunks), truncated })
  }
}

const nothing = Buffer.alloc(0)
const enough = new Error('The rest of the answer is not wanted.')

/** Joins repeated headers. */
function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    plain[name] = typeof value === 'string' ? value : [value].flat().join(', ')
  }
  return plain
}
