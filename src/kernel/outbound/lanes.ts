import type { Client } from 'undici'
import type { Connection, ConnectionOptions } from './connection.ts'
import type { Deadline } from './deadline.ts'
import { giveBack, isFresh, type Lane, leadsTo, makeLane, retire, takeConnection } from './lane.ts'
import { type Limiter, limiter } from './limiter.ts'
import type { ResolvedAddress } from './resolve.ts'

export interface Lanes {
  /** Waits for a turn with an origin; the client is pinned to addresses that were checked. */
  enter(url: URL, deadline: Deadline): Turn | Promise<Turn>
  /** Makes the next call ask for the addresses again. */
  forget(url: URL): void
  close(): void
}

export interface LanesOptions extends ConnectionOptions {
  resolve: (url: URL) => Promise<ResolvedAddress[]>
  socketsPerOrigin: number
  maximumCalls: number
}

/** Keeps connections between calls: a few per origin, to as many origins as there may be calls at the same time. */
export function openLanes({ resolve, socketsPerOrigin, maximumCalls, ...options }: LanesOptions): Lanes {
  const lanes = new Map<string, Lane>()
  const calls = limiter(maximumCalls)

  const findLane = async (url: URL, deadline: Deadline): Promise<Lane> => {
    const addresses = await deadline.race(resolve(url))
    const current = lanes.get(url.origin)
    if (current && leadsTo(current, addresses)) {
      current.resolvedAt = performance.now()
      return current
    }
    if (current) retire(current)
    const made = makeLane(url, addresses, options, current?.turns ?? limiter(socketsPerOrigin))
    lanes.set(url.origin, made)
    makeRoom(lanes, maximumCalls)
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
      return findLane(url, deadline).then((lane) => takeTurn(lane, calls, deadline))
    },
    forget(url) {
      const lane = lanes.get(url.origin)
      if (lane) lane.resolvedAt = Number.NEGATIVE_INFINITY
    },
    close() {
      for (const lane of lanes.values()) retire(lane)
      lanes.clear()
    },
  }
}

/** First the turn with the origin: a slow one must not hold the turns of the others. At once when nobody is ahead. */
function takeTurn(lane: Lane, calls: Limiter, deadline: Deadline): Turn | Promise<Turn> {
  const origin = lane.turns.take(deadline)
  lane.users += 1
  if (!origin) {
    const place = calls.take(deadline)
    return place ? waited(lane, calls, () => place) : new Turn(lane, calls)
  }
  return origin.then(
    () => waited(lane, calls, () => calls.take(deadline)),
    (error) => {
      lane.users -= 1
      throw error
    },
  )
}

async function waited(lane: Lane, calls: Limiter, take: () => Promise<void> | undefined): Promise<Turn> {
  try {
    await take()
  } catch (error) {
    lane.turns.giveBack()
    lane.users -= 1
    throw error
  }
  return new Turn(lane, calls)
}

/** A connection for one exchange. One is made for every call: hence the class. */
export class Turn {
  private readonly lane: Lane
  private readonly calls: Limiter
  private readonly connection: Connection
  private left = false

  constructor(lane: Lane, calls: Limiter) {
    this.lane = lane
    this.calls = calls
    this.connection = takeConnection(lane)
  }

  get client(): Client {
    return this.connection.client
  }

  /** Hands the connection back: to be used again, or to be closed. */
  leave(reusable: boolean) {
    if (this.left) return
    this.left = true
    giveBack(this.lane, this.connection, reusable)
    this.calls.giveBack()
    this.lane.turns.giveBack()
    this.lane.users -= 1
  }
}

/** Closes those unused the longest. */
function makeRoom(lanes: Map<string, Lane>, maximum: number): void {
  if (lanes.size <= maximum) return
  const idle = [...lanes].filter(([, lane]) => lane.users === 0)
  const oldest = idle.sort(([, one], [, other]) => one.usedAt - other.usedAt)
  for (const [origin, lane] of oldest.slice(0, lanes.size - maximum)) {
    lanes.delete(origin)
    retire(lane)
  }
}
