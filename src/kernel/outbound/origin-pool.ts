import type { Socket } from 'node:net'
import { Client } from 'undici'
import { pinnedConnector } from './connector.ts'
import { type Deadline, type Limiter, limiter } from './deadline.ts'
import { hostOf, portOf, type ResolvedAddress } from './target.ts'

export interface OriginPools {
  /** Waits for a slot at an origin; the client is pinned to checked IP addresses. */
  enter(url: URL, deadline: Deadline): Turn | Promise<Turn>
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
  const lanes = new Map<string, OriginPool>()
  const calls = limiter(maximumCalls)

  const findLane = async (url: URL, deadline: Deadline): Promise<OriginPool> => {
    const addresses = await deadline.race(resolve(url))
    const current = lanes.get(url.origin)
    if (current && leadsTo(current, addresses)) {
      current.resolvedAt = performance.now()
      return current
    }
    if (current) retire(current)
    const made = makePool(url, addresses, options, current?.turns ?? limiter(socketsPerOrigin))
    lanes.set(url.origin, made)
    removeIdlePools(lanes, maximumCalls)
    return made
  }

  return {
    enter(url, deadline) {
      const now = performance.now()
      const known = lanes.get(url.origin)
      if (known && isFresh(known, now)) {
        known.usedAt = now
        return takeTurn(known, calls, deadline)
      }
      return findLane(url, deadline).then((origin) => takeTurn(origin, calls, deadline))
    },
    forget(url) {
      const origin = lanes.get(url.origin)
      if (origin) origin.resolvedAt = Number.NEGATIVE_INFINITY
    },
    close() {
      for (const origin of lanes.values()) retire(origin)
      lanes.clear()
    },
  }
}

/** The origin's slot comes first, so that a slow origin doesn't hold global slots. Synchronous if no call is waiting. */
function takeTurn(origin: OriginPool, calls: Limiter, deadline: Deadline): Turn | Promise<Turn> {
  const turn = origin.turns.take(deadline)
  origin.users += 1
  if (!turn) {
    const slot = calls.take(deadline)
    return slot ? waited(origin, calls, () => slot) : new Turn(origin, calls)
  }
  return turn.then(
    () => waited(origin, calls, () => calls.take(deadline)),
    (error) => {
      origin.users -= 1
      throw error
    },
  )
}

async function waited(origin: OriginPool, calls: Limiter, take: () => Promise<void> | undefined): Promise<Turn> {
  try {
    await take()
  } catch (error) {
    origin.turns.release()
    origin.users -= 1
    throw error
  }
  return new Turn(origin, calls)
}

/** A connection for one exchange. A class, because one is created for every call. */
class Turn {
  private readonly origin: OriginPool
  private readonly calls: Limiter
  private readonly connection: Connection
  private left = false

  constructor(origin: OriginPool, calls: Limiter) {
    this.origin = origin
    this.calls = calls
    this.connection = takeConnection(origin)
  }

  get client(): Client {
    return this.connection.client
  }

  /** Returns the connection for reuse, or closes it. */
  leave(reusable: boolean) {
    if (this.left) return
    this.left = true
    release(this.origin, this.connection, reusable)
    this.calls.release()
    this.origin.turns.release()
    this.origin.users -= 1
  }
}

/** Closes the least recently used pools. */
function removeIdlePools(lanes: Map<string, OriginPool>, maximum: number): void {
  if (lanes.size <= maximum) return
  const idle = [...lanes].filter(([, origin]) => origin.users === 0)
  const oldest = idle.sort(([, one], [, other]) => one.usedAt - other.usedAt)
  for (const [url, origin] of oldest.slice(0, lanes.size - maximum)) {
    lanes.delete(url)
    retire(origin)
  }
}

/** The connections to one origin, all to checked IP addresses. */
interface OriginPool {
  addresses: readonly ResolvedAddress[]
  resolvedAt: number
  usedAt: number
  /** Limits concurrent exchanges to the number of sockets. */
  turns: Limiter
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
  turns: Limiter,
): OriginPool {
  const connect = () => makeConnection(url, addresses, options)
  return { addresses, resolvedAt: performance.now(), usedAt: 0, turns, users: 0, idle: [], retired: false, connect }
}

const isFresh = (origin: OriginPool, now: number) => now - origin.resolvedAt < addressLifeMs

const leadsTo = (origin: OriginPool, addresses: readonly ResolvedAddress[]) =>
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
