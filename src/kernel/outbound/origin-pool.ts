import type { Socket } from 'node:net'
import { Client } from 'undici'
import { pinnedConnector } from './connector.ts'
import { type Deadline, type Limiter, limiter } from './deadline.ts'
import { hostOf, portOf, type ResolvedAddress } from './target.ts'

export interface OriginPools {
  /** Waits for a slot at an origin; the client is pinned to checked IP addresses. */
  enter(url: URL, deadline: Deadline): AcquiredConnection | Promise<AcquiredConnection>
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
function acquireConnection(
  origin: OriginPool,
  calls: Limiter,
  deadline: Deadline,
): AcquiredConnection | Promise<AcquiredConnection> {
  const turn = origin.slots.take(deadline)
  origin.users += 1
  if (!turn) {
    const slot = calls.take(deadline)
    return slot ? acquireAfter(origin, calls, () => slot) : new AcquiredConnection(origin, calls)
  }
  return turn.then(
    () => acquireAfter(origin, calls, () => calls.take(deadline)),
    (error) => {
      origin.users -= 1
      throw error
    },
  )
}

async function acquireAfter(
  origin: OriginPool,
  calls: Limiter,
  take: () => Promise<void> | undefined,
): Promise<AcquiredConnection> {
  try {
    await take()
  } catch (error) {
    origin.slots.release()
    origin.users -= 1
    throw error
  }
  return new AcquiredConnection(origin, calls)
}

/** A connection for one exchange. A class, because one is created for every call. */
class AcquiredConnection {
  private readonly origin: OriginPool
  private readonly calls: Limiter
  private readonly connection: Connection
  private released = false

  constructor(origin: OriginPool, calls: Limiter) {
    this.origin = origin
    this.calls = calls
    this.connection = takeConnection(origin)
  }

  get client(): Client {
    return this.connection.client
  }

  /** Returns the connection for reuse, or closes it. */
  release(reusable: boolean) {
    if (this.released) return
    this.released = true
    release(this.origin, this.connection, reusable)
    this.calls.release()
    this.origin.slots.release()
    this.origin.users -= 1
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
  idle: Connection[]
  retired: boolean
  connect: () => Connection
}

function makePool(
  url: URL,
  addresses: readonly ResolvedAddress[],
  options: ConnectionOptions,
  /** Shared by all pools of the origin, whatever its IP addresses are. */
  slots: Limiter,
): OriginPool {
  const connect = () => makeConnection(url, addresses, options)
  return { addresses, resolvedAt: performance.now(), usedAt: 0, slots, users: 0, idle: [], retired: false, connect }
}

const isFresh = (origin: OriginPool, now: number) => now - origin.resolvedAt < addressLifeMs

const hasAddresses = (origin: OriginPool, addresses: readonly ResolvedAddress[]) =>
  keyOf(origin.addresses) === keyOf(addresses)

/** The most recently used connection is the one most likely to be still open. */
const takeConnection = (origin: OriginPool): Connection => origin.idle.pop() ?? origin.connect()

function release(origin: OriginPool, connection: Connection, reusable: boolean): void {
  if (reusable && !origin.retired) origin.idle.push(connection)
  else connection.drop()
}

/** Closes the connections as soon as they are unused. */
function retire(origin: OriginPool): void {
  origin.retired = true
  for (const connection of origin.idle.splice(0)) connection.drop()
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

/** At most one socket to one of the checked IP addresses; it is opened with the first request. */
interface Connection {
  client: Client
  /** Closes the socket immediately, whether it is idle, busy or being opened. */
  drop(): void
}

function makeConnection(
  url: URL,
  addresses: readonly ResolvedAddress[],
  { connectTimeoutMs: timeoutMs, ca }: ConnectionOptions,
): Connection {
  const sockets = new Set<Socket>()
  const end = { host: hostOf(url), port: portOf(url), secure: url.protocol === 'https:' }
  const client = new Client(url.origin, {
    connect: pinnedConnector({ ...end, addresses, timeoutMs, ca, sockets }),
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
const maximumHeaderBytes = 16_384
