import type { Socket } from 'node:net'
import { Client } from 'undici'
import { type ConnectorOptions, pinnedConnector } from './connector.ts'
import { type Deadline, type Limiter, limiter } from './deadline.ts'
import { HttpConnection } from './http-connection.ts'
import { maximumHeaderBytes } from './response-reader.ts'
import { hostOf, portOf, type ResolvedAddress } from './target.ts'

export interface OriginPools {
  /** Waits for a slot at an origin; the client is pinned to checked IP addresses. */
  enter(url: URL, deadline: Deadline): Slot | Promise<Slot>
  /** Makes the next call resolve the host again. */
  forget(url: URL): void
  close(): void
}

interface OriginPoolOptions extends ConnectionOptions {
  resolve: (url: URL) => Promise<ResolvedAddress[]>
  socketsPerOrigin: number
  maximumCalls: number
}

/** Keeps connections between calls: a few per origin, for as many origins as there may be concurrent calls. */
export function openOriginPools({
  resolve,
  socketsPerOrigin,
  maximumCalls,
  ...options
}: OriginPoolOptions): OriginPools {
  const pools = new Map<string, OriginPool>()
  const calls = limiter(maximumCalls)

  const findPool = async (url: URL, deadline: Deadline): Promise<OriginPool> => {
    const addresses = await deadline.race(resolve(url))
    const current = pools.get(url.origin)
    if (current && hasAddresses(current, addresses)) {
      current.resolvedAt = performance.now()
      return current
    }
    if (current) retire(current)
    const made = makePool(url, addresses, options, current?.slots ?? limiter(socketsPerOrigin))
    pools.set(url.origin, made)
    removeIdlePools(pools, maximumCalls)
    return made
  }

  return {
    enter(url, deadline) {
      const now = performance.now()
      const known = pools.get(url.origin)
      if (known && isFresh(known, now)) {
        known.usedAt = now
        return acquireConnection(known, calls, deadline)
      }
      return findPool(url, deadline).then((origin) => acquireConnection(origin, calls, deadline))
    },
    forget(url) {
      const origin = pools.get(url.origin)
      if (origin) origin.resolvedAt = Number.NEGATIVE_INFINITY
    },
    close() {
      for (const origin of pools.values()) retire(origin)
      pools.clear()
    },
  }
}

/** The origin's slot comes first, so that a slow origin doesn't hold global slots. Synchronous if no call is waiting. */
function acquireConnection(origin: OriginPool, calls: Limiter, deadline: Deadline): Slot | Promise<Slot> {
  const turn = origin.slots.take(deadline)
  origin.users += 1
  if (!turn) {
    const slot = calls.take(deadline)
    return slot ? acquireAfter(origin, calls, () => slot) : new Slot(origin, calls)
  }
  return turn.then(
    () => acquireAfter(origin, calls, () => calls.take(deadline)),
    (error) => {
      origin.users -= 1
      throw error
    },
  )
}

async function acquireAfter(origin: OriginPool, calls: Limiter, take: () => Promise<void> | undefined): Promise<Slot> {
  try {
    await take()
  } catch (error) {
    origin.slots.release()
    origin.users -= 1
    throw error
  }
  return new Slot(origin, calls)
}

/** A turn for one exchange on a connection of its own. A class, because one is created for every call. */
class Slot {
  private readonly origin: OriginPool
  private readonly calls: Limiter
  private taken: HttpConnection | StreamConnection | undefined

  constructor(origin: OriginPool, calls: Limiter) {
    this.origin = origin
    this.calls = calls
  }

  /** A connection for an exchange in memory. */
  connection(): HttpConnection {
    const taken = takeConnection(this.origin)
    this.taken = taken
    return taken
  }

  /** A client for a stream. */
  client(): Client {
    const taken = takeStream(this.origin)
    this.taken = taken
    return taken.client
  }

  /** Ends the turn; the connection is closed unless it may be used again. */
  release(reusable: boolean) {
    const { taken, origin } = this
    if (!taken) return
    this.taken = undefined
    keepOrDrop(origin, taken, reusable)
    this.calls.release()
    origin.slots.release()
    origin.users -= 1
  }
}

/** Closes the least recently used pools. */
function removeIdlePools(pools: Map<string, OriginPool>, maximum: number): void {
  if (pools.size <= maximum) return
  const idle = [...pools].filter(([, origin]) => origin.users === 0)
  const oldest = idle.sort(([, one], [, other]) => one.usedAt - other.usedAt)
  for (const [url, origin] of oldest.slice(0, pools.size - maximum)) {
    pools.delete(url)
    retire(origin)
  }
}

/** The connections to one origin, all to checked IP addresses. */
interface OriginPool {
  addresses: readonly ResolvedAddress[]
  resolvedAt: number
  usedAt: number
  /** Limits concurrent exchanges to the number of sockets. */
  slots: Limiter
  users: number
  idle: HttpConnection[]
  idleStreams: StreamConnection[]
  retired: boolean
  connect: () => HttpConnection
  connectStream: () => StreamConnection
}

function makePool(
  url: URL,
  addresses: readonly ResolvedAddress[],
  options: ConnectionOptions,
  /** Shared by all pools of the origin, whatever its IP addresses are. */
  slots: Limiter,
): OriginPool {
  const { connectTimeoutMs: timeoutMs, ca } = options
  const target = { host: hostOf(url), port: portOf(url), secure: url.protocol === 'https:', addresses, timeoutMs, ca }
  return {
    addresses,
    resolvedAt: performance.now(),
    usedAt: 0,
    slots,
    users: 0,
    idle: [],
    idleStreams: [],
    retired: false,
    connect: () => new HttpConnection(target, idleMs),
    connectStream: () => makeStreamConnection(url, target),
  }
}

const isFresh = (origin: OriginPool, now: number) => now - origin.resolvedAt < addressLifeMs

const hasAddresses = (origin: OriginPool, addresses: readonly ResolvedAddress[]) =>
  keyOf(origin.addresses) === keyOf(addresses)

/** The most recently used connection is the one most likely to be still open. */
function takeConnection(origin: OriginPool): HttpConnection {
  for (let known = origin.idle.pop(); known; known = origin.idle.pop()) {
    if (known.isUsable()) return known
    known.drop()
  }
  // There are never more sockets than slots.
  origin.idleStreams.shift()?.drop()
  return origin.connect()
}

function takeStream(origin: OriginPool): StreamConnection {
  const known = origin.idleStreams.pop()
  if (!known) origin.idle.shift()?.drop()
  return known ?? origin.connectStream()
}

function keepOrDrop(origin: OriginPool, connection: HttpConnection | StreamConnection, reusable: boolean): void {
  if (!reusable || origin.retired) connection.drop()
  else if (!(connection instanceof HttpConnection)) origin.idleStreams.push(connection)
  else if (connection.isUsable()) origin.idle.push(connection)
}

/** Closes the connections as soon as they are unused. */
function retire(origin: OriginPool): void {
  origin.retired = true
  for (const connection of [...origin.idle.splice(0), ...origin.idleStreams.splice(0)]) connection.drop()
}

const addressLifeMs = 30_000

const keyOf = (addresses: readonly ResolvedAddress[]) =>
  addresses
    .map(({ address }) => address)
    .sort()
    .join(' ')

interface ConnectionOptions {
  connectTimeoutMs: number
  ca: readonly string[] | undefined
}

/** A client with at most one socket to one of the checked IP addresses; it is opened with the first request. */
interface StreamConnection {
  client: Client
  /** Closes the socket immediately, whether it is idle, busy or being opened. */
  drop(): void
}

function makeStreamConnection(url: URL, target: Omit<ConnectorOptions, 'sockets'>): StreamConnection {
  const sockets = new Set<Socket>()
  const client = new Client(url.origin, {
    connect: pinnedConnector({ ...target, sockets }),
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    maxHeaderSize: maximumHeaderBytes,
    // Disabled in favor of the exchange's deadline: these two restart with every byte.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const drop = () => {
    // Not just aborted: after an abort the client would open a new, unneeded socket.
    void client.destroy()
    for (const socket of sockets) socket.destroy()
  }
  return { client, drop }
}

const idleMs = 4_000
