import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Deadline, PaceRule } from './deadline.ts'
import { failureOf, OutboundFailure } from './failure.ts'
import type { OriginPools } from './origin-pool.ts'
import { readLink } from './target.ts'

/** Where an answer came from, and what it said before its body. */
interface Head {
  status: number
  headers: Record<string, string>
  url: URL
}

/** An answer whose headers are here and whose body is still to be read; destroying the body drops the connection. */
export interface OpenAnswer extends Head {
  body: Readable
}

interface ShortAnswer extends Head, Collected {}

/** Asks once. */
type Ask<Answer> = (request: OutboundRequest, url: URL, lanes: OriginPools, deadline: Deadline) => Promise<Answer>

/** Asks and follows as many redirects as the request allows. */
export async function follow<Answer extends Head>(
  ask: Ask<Answer>,
  request: OutboundRequest,
  url: URL,
  lanes: OriginPools,
  deadline: Deadline,
): Promise<Answer> {
  const allowed = request.redirects ?? 0
  let current = request
  let at = url
  for (let hops = 0; ; hops += 1) {
    const answer = await ask(current, at, lanes, deadline)
    const { location } = answer.headers
    if (allowed === 0 || !isRedirect(answer.status) || location === undefined) return answer
    if ('body' in answer) drop(answer.body)
    if (hops === allowed) throw tooManyRedirects(answer.url, allowed)
    at = readLink(location, answer.url)
    current = nextRequest(current, answer.url, at, answer.status)
  }
}

/** Keeps the beginning of the answer. */
export const askShort: Ask<ShortAnswer> = async (request, url, lanes, deadline) => {
  const headers = outgoingHeaders(request)
  const entering = lanes.enter(url, deadline)
  const turn = entering instanceof Promise ? await entering : entering
  try {
    const { method, body: sent = null } = request
    const options = {
      method,
      path: url.pathname + url.search,
      headers,
      body: sent as Dispatcher.DispatchOptions['body'],
    }
    const { status, headers: got, body, truncated } = await collect(turn.client, options, maximumOf(request), deadline)
    turn.leave(!truncated)
    return { status, headers: got, body, truncated, url }
  } catch (error) {
    turn.leave(false)
    throw explain(error, url, lanes, deadline)
  }
}

/** Gives the answer as soon as its headers are here. */
export const askOpen: Ask<OpenAnswer> = async (request, url, lanes, deadline) => {
  const headers = outgoingHeaders(request)
  const entering = lanes.enter(url, deadline)
  const turn = entering instanceof Promise ? await entering : entering
  try {
    const { method, body } = request
    const path = url.pathname + url.search
    const { signal } = deadline
    deadline.sent = true
    const answer = await turn.client.request({ method, path, headers, body: body as Readable, signal, highWaterMark })
    // A body that was not read to its end leaves bytes in the connection that belong to nobody.
    answer.body.once('close', () => turn.leave(answer.body.readableEnded))
    // Who reads the body hears of its errors; who does not read it must not crash the process.
    answer.body.on('error', () => {})
    return { status: answer.statusCode, headers: flat(answer.headers), url, body: answer.body }
  } catch (error) {
    turn.leave(false)
    throw explain(error, url, lanes, deadline)
  }
}

function explain(error: unknown, url: URL, lanes: OriginPools, { sent }: Deadline): OutboundFailure {
  const failure = failureOf(error, url.host)
  failure.sent = sent
  // The host may have moved.
  if (failure.kind === 'connect' || failure.kind === 'tls') lanes.forget(url)
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
  /** What is too large for memory is given piece by piece, with its length. */
  body?: string | Uint8Array | AsyncIterable<Uint8Array>
  bodyBytes?: number
  /** For the whole exchange, from the first name asked to the last byte read; 15 seconds unless told. */
  timeoutMs?: number
  /** Of the answer's body: `send` reads no further (16 KiB unless told), `stream` fails (no limit unless told). */
  maximumBytes?: number
  /** How many redirects are followed, each checked like the first URL; none unless told. */
  redirects?: number
  signal?: AbortSignal
  /** Of `stream`: how slow the other side may be; 16 KiB a second over half a minute unless told. */
  pace?: PaceRule
}

/** The headers that go out; those that decide where and how a message ends are not the caller's to set. */
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
  // Another origin must not see signatures and keys meant for the first.
  const kept = from.origin === to.origin ? headers : headers.filter(([name]) => harmless.has(name.toLowerCase()))
  const next = { ...request, url: to.href, headers: Object.fromEntries(kept) }
  if (!becomesGet(request.method, status)) return next
  const { body: _dropped, bodyBytes: _length, ...bodiless } = next
  const aboutBody = (name: string) => name.toLowerCase().startsWith('content-')
  return { ...bodiless, method: 'GET', headers: Object.fromEntries(kept.filter(([name]) => !aboutBody(name))) }
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

// What browsers do: only 307 and 308 keep the method of a form.
const becomesGet = (method: string, status: number) =>
  method !== 'GET' && method !== 'HEAD' && (status === 303 || ((status === 301 || status === 302) && method === 'POST'))

/** The beginning of an answer. */
interface Collected {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** There was more, which was not read. */
  truncated: boolean
}

/**
 * Makes one request and keeps the beginning of its answer. Without the streams that a reader of the whole would need: for
 * a short call they cost more than the call.
 */
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

/** What the client calls while the answer comes in. One is made for every call: hence the class. */
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

  /** Also while the connection is still being opened, when there is no request to abort yet. */
  private readonly giveUp = (reason: OutboundFailure) => {
    this.controller?.abort(reason)
    this.reject(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.controller = controller
    this.deadline.sent = true
    // The time may have run out while the connection was being opened.
    if (this.deadline.reason) controller.abort(this.deadline.reason)
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>) {
    this.status = status
    this.headers = flat(headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    // A copy: what came may be a small part of something large that would be kept in memory with it.
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
    this.deadline.forget(this.giveUp)
    this.reject(error)
  }

  private finish(truncated: boolean) {
    const { status, headers, chunks } = this
    this.deadline.forget(this.giveUp)
    this.resolve({ status, headers, body: chunks.length === 0 ? nothing : Buffer.concat(chunks), truncated })
  }
}

const nothing = Buffer.alloc(0)
const enough = new Error('The rest of the answer is not wanted.')

/** Several headers of the same name as one. */
function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    plain[name] = typeof value === 'string' ? value : [value].flat().join(', ')
  }
  return plain
}
