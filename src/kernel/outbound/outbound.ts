import type { Socket } from 'node:net'
import { addressRule, allowanceRule, followAliases, type NameFacts } from './addresses.ts'
import { openSocket, type SocketRequest, socketPorts, targetOf } from './connector.ts'
import { Deadline, type Pace, usualPace, watchPace } from './deadline.ts'
import { follow, type OutboundRequest, type StreamedResponse, sendBuffered, sendStreaming } from './exchange.ts'
import { failureOf, OutboundFailure } from './failure.ts'
import { openOriginPools } from './origin-pool.ts'
import { hostOf, type Lookup, ownRule, readTarget, resolveName, resolveTarget } from './target.ts'

export type { Lookup } from './target.ts'

interface OutboundOptions {
  /** CIDR ranges of private IP addresses that may be called nevertheless. */
  allow: readonly string[]
  /** host:port of the service itself and of its database, evaluated when needed: never called, even if allowed. */
  own?: () => readonly string[]
  /** 80, 443, 8080 and 8443 by default; any port at explicitly allowed IP addresses. */
  ports?: 'any' | readonly number[]
  /** For TCP and TLS together; 5 seconds by default. */
  connectTimeoutMs?: number
  /** Certificate authorities trusted instead of the well-known ones. */
  ca?: readonly string[]
  lookup?: Lookup
  /** host:port of the name server for CNAME lookups; the system's by default. */
  nameServer?: string | undefined
  /** Maximum concurrent calls per origin; 4 by default. */
  socketsPerOrigin?: number
  /** Maximum concurrent calls in total; 256 by default. */
  maximumCalls?: number
}

export interface OutboundHead {
  status: number
  headers: Record<string, string>
  /** Final URL after redirects. */
  url: string
}

export interface OutboundAnswer extends OutboundHead {
  /** Up to `maximumBytes`. */
  body: Buffer
  truncated: boolean
}

export interface Outbound {
  /** Rejects with an OutboundFailure if the URL may not be called; for validation when a user submits it. */
  check(url: string): Promise<void>
  /** One exchange with the beginning of the response body, unprocessed: nothing is decompressed. */
  send(request: OutboundRequest): Promise<OutboundAnswer>
  /** The same with a streamed body; read it to the end or stop iterating, otherwise it ends at its deadline. */
  stream(request: OutboundRequest): Promise<OutboundHead & { body: AsyncGenerator<Buffer> }>
  /** Like `check`, for a host that uses a protocol other than HTTP. */
  checkHost(host: string, port: number): Promise<void>
  /** A connection for such a protocol, to a checked IP address; the caller must close it. */
  connect(request: SocketRequest): Promise<Socket>
  /** Resolves the CNAME chain of a name; rejects with an OutboundFailure if the name servers don't respond. */
  aliasesOf(name: string): Promise<NameFacts>
  /** Ends every running exchange. */
  close(): Promise<void>
}

/** Opens the only client that may call user-supplied URLs. */
export function openOutbound(options: OutboundOptions): Outbound {
  const { allow, own = () => [], ports = usualPorts, connectTimeoutMs = 5_000, ca, lookup = systemNames } = options
  const { socketsPerOrigin = 4, maximumCalls = 256 } = options
  const rules = {
    permitted: addressRule(allow),
    allowed: allowanceRule(allow),
    isOwn: ownRule(own, lookup),
    ports,
    lookup,
  }
  const resolve = (url: URL) => resolveTarget(url, rules)
  const pools = openOriginPools({ resolve, connectTimeoutMs, ca, socketsPerOrigin, maximumCalls })
  const running = new Set<Deadline>()
  const sockets = new Set<Socket>()
  const resolveSocket = (url: URL) => resolveTarget(url, { ...rules, ports: ports === 'any' ? 'any' : socketPorts })
  let closed = false

  const start = (url: URL, timeoutMs = 15_000, signal?: AbortSignal): Deadline => {
    if (closed) throw shuttingDown()
    const deadline = new Deadline(timeoutMs, hostOf(url), signal)
    running.add(deadline)
    return deadline
  }
  const stop = (deadline: Deadline) => {
    running.delete(deadline)
    deadline.clear()
  }

  return {
    async check(text) {
      const url = readTarget(text)
      const deadline = start(url, connectTimeoutMs)
      await deadline.race(resolve(url)).finally(() => stop(deadline))
    },
    async send(request) {
      const url = readTarget(request.url)
      const deadline = start(url, request.timeoutMs, request.signal)
      try {
        const answer = await (request.redirects
          ? follow(sendBuffered, request, url, pools, deadline)
          : sendBuffered(request, url, pools, deadline))
        const { status, headers, body, truncated } = answer
        return { status, headers, body, truncated, url: answer.url.href }
      } finally {
        stop(deadline)
      }
    },
    async stream(request) {
      const maximum = request.maximumBytes ?? Number.POSITIVE_INFINITY
      const url = readTarget(request.url)
      const deadline = start(url, request.timeoutMs, request.signal)
      const pace = watchPace(request.pace ?? usualPace, () => deadline.abort(tooSlow(hostOf(url))))
      const end = () => {
        pace.stop()
        stop(deadline)
      }
      try {
        const answer = await follow(sendStreaming, request, url, pools, deadline)
        answer.body.once('close', end)
        refuseBody(answer, request.method, maximum)
        const { status, headers } = answer
        return { status, headers, url: answer.url.href, body: readAll(answer, maximum, pace) }
      } catch (error) {
        end()
        throw error
      }
    },
    async checkHost(host, port) {
      const url = targetOf(host, port)
      const deadline = start(url, connectTimeoutMs)
      await deadline.race(resolveSocket(url)).finally(() => stop(deadline))
    },
    async connect({ host, port, timeoutMs = connectTimeoutMs, signal }) {
      const url = targetOf(host, port)
      const deadline = start(url, timeoutMs, signal)
      try {
        const addresses = await deadline.race(resolveSocket(url))
        const opening = openSocket(url, addresses, timeoutMs, sockets)
        return await deadline.race(opening).catch((error) => {
          // The caller has stopped waiting.
          opening.then((socket) => socket.destroy()).catch(() => {})
          throw error
        })
      } finally {
        stop(deadline)
      }
    },
    aliasesOf: (name) => followAliases(name, options.nameServer),
    async close() {
      closed = true
      for (const deadline of running) deadline.abort(shuttingDown())
      for (const socket of sockets) socket.destroy()
      pools.close()
    },
  }
}

const usualPorts = [80, 443, 8080, 8443]

const systemNames: Lookup = (hostname) => resolveName(hostname)

const shuttingDown = () => new OutboundFailure('aborted', 'The service is shutting down.')

const tooSlow = (host: string) => new OutboundFailure('slow', `${host} sends too slowly.`)

/** Passes a body through up to the maximum size, counted in bytes received. */
async function* readAll({ body, url }: StreamedResponse, maximum: number, pace: Pace): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > maximum) throw tooLarge(url, maximum)
      pace.count(chunk.length)
      pace.pause()
      yield chunk
      pace.resume()
    }
  } catch (error) {
    throw failureOf(error, url.host)
  }
}

/** Throws if the headers already show that the body can't be accepted. */
function refuseBody(answer: StreamedResponse, method: string, maximum: number): void {
  try {
    judgeHead(answer, method, maximum)
  } catch (error) {
    answer.body.destroy()
    throw error
  }
}

function judgeHead({ headers, url, status }: StreamedResponse, method: string, maximum: number): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new OutboundFailure('protocol', `${url.host} sends the file compressed although it was asked not to.`)
  }
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304
  if (hasBody && Number(headers['content-length'] ?? 0) > maximum) throw tooLarge(url, maximum)
}

const tooLarge = (url: URL, maximum: number) =>
  new OutboundFailure('too-large', `${url.host} sends more than ${maximum} bytes.`)
