import { addressRule } from './addresses.ts'
import { readAll, readStart, refuseBody } from './body.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { exchange, type OpenAnswer } from './exchange.ts'
import { OutboundFailure } from './failure.ts'
import { openLanes } from './lanes.ts'
import { ownRule } from './own.ts'
import type { OutboundRequest } from './request.ts'
import { type Lookup, resolveName } from './resolve.ts'
import { hostOf, readTarget, resolveTarget } from './target.ts'

export interface OutboundOptions {
  /** CIDR ranges of private addresses that may be called all the same. */
  allow: readonly string[]
  /** host:port of the service itself and of its database: never called, even when allowed. */
  own?: readonly string[]
  /** 80, 443, 8080 and 8443 unless told. */
  ports?: 'any' | readonly number[]
  /** For TCP and TLS together; 5 seconds unless told. */
  connectTimeoutMs?: number
  /** Certificate authorities trusted instead of the well-known ones. */
  ca?: readonly string[]
  lookup?: Lookup
}

export interface OutboundHead {
  status: number
  headers: Record<string, string>
  /** Where the answer came from, after redirects. */
  url: string
}

export interface Outbound {
  /** Throws an OutboundFailure with a sentence when the URL may not be called; for the moment it is given to us. */
  check(url: string): Promise<void>
  /** One exchange with the beginning of the answer's body, as it was sent: nothing is decompressed. */
  send(request: OutboundRequest): Promise<OutboundHead & { body: Buffer; truncated: boolean }>
  /** The same with the body as it comes; read it to the end or break off, otherwise it ends with its deadline. */
  stream(request: OutboundRequest): Promise<OutboundHead & { body: AsyncGenerator<Buffer> }>
  /** Ends every running exchange. */
  close(): Promise<void>
}

/** Opens the only way on which the service calls addresses that somebody gave to it. */
export function openOutbound(options: OutboundOptions): Outbound {
  const { allow, own = [], ports = usualPorts, connectTimeoutMs = 5_000, ca, lookup = systemNames } = options
  const rules = { permitted: addressRule(allow), isOwn: ownRule(own, lookup), ports, lookup }
  const resolve = (url: URL) => resolveTarget(url, rules)
  const lanes = openLanes({ resolve, connectTimeoutMs, ca })
  const running = new Set<Deadline>()
  let closed = false

  const start = (url: string, timeoutMs = 15_000, signal?: AbortSignal): Deadline => {
    if (closed) throw shuttingDown()
    const deadline = startDeadline(timeoutMs, hostOf(readTarget(url, rules)), signal)
    running.add(deadline)
    return deadline
  }
  const stop = (deadline: Deadline) => {
    running.delete(deadline)
    deadline.clear()
  }
  const open = async (request: OutboundRequest): Promise<OpenAnswer> => {
    const deadline = start(request.url, request.timeoutMs, request.signal)
    try {
      const answer = await exchange(request, { rules, lanes }, deadline)
      answer.body.once('close', () => stop(deadline))
      return answer
    } catch (error) {
      stop(deadline)
      throw error
    }
  }

  return {
    async check(url) {
      const deadline = start(url, connectTimeoutMs)
      await deadline.race(resolve(readTarget(url, rules))).finally(() => stop(deadline))
    },
    async send(request) {
      const answer = await open(request)
      const { start: body, more: truncated } = await readStart(answer, request.maximumBytes ?? 16_384)
      return { ...headOf(answer), body, truncated }
    },
    async stream(request) {
      const maximum = request.maximumBytes ?? Number.POSITIVE_INFINITY
      const answer = await open(request)
      try {
        refuseBody(answer, request.method, maximum)
      } catch (error) {
        answer.body.destroy()
        throw error
      }
      return { ...headOf(answer), body: readAll(answer, maximum) }
    },
    async close() {
      closed = true
      for (const deadline of running) deadline.abort(shuttingDown())
      lanes.close()
    },
  }
}

const usualPorts = [80, 443, 8080, 8443]

const systemNames: Lookup = (hostname) => resolveName(hostname)

const headOf = ({ status, headers, url }: OpenAnswer): OutboundHead => ({ status, headers, url: url.href })

const shuttingDown = () => new OutboundFailure('aborted', 'The service is shutting down.')
