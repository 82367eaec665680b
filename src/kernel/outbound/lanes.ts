import type { Client } from 'undici'
import type { ConnectionOptions } from './connection.ts'
import type { Deadline } from './deadline.ts'
import { giveBack, isFresh, type Lane, leadsTo, makeLane, retire, takeConnection } from './lane.ts'
import { limiter } from './limiter.ts'
import type { ResolvedAddress } from './resolve.ts'

export interface Lanes {
  /** Waits for a turn with an origin; the client is pinned to addresses that were checked. */
  enter(url: URL, deadline: Deadline): Promise<Turn>
  /** Makes the next call ask for the addresses again. */
  forget(url: URL): void
  close(): void
}

export interface Turn {
  client: Client
  /** Hands the connection back: to be used again, or to be closed. */
  leave(reusable: boolean): void
}

export interface LanesOptions extends ConnectionOptions {
  resolve: (url: URL) => Promise<ResolvedAddress[]>
}

/** Keeps connections between calls: four per origin, to as many origins as there may be calls at the same time. */
export function openLanes({ resolve, ...options }: LanesOptions): Lanes {
  const lanes = new Map<string, Lane>()
  const exchanges = limiter(maximumExchanges)

  const claim = (url: URL, lane: Lane) => {
    // Moved to the end, so that the first lane of the map is the one unused the longest.
    lanes.delete(url.origin)
    lanes.set(url.origin, lane)
    lane.users += 1
    makeRoom(lanes)
    return lane
  }

  const laneTo = async (url: URL, deadline: Deadline): Promise<Lane> => {
    const known = lanes.get(url.origin)
    if (known && isFresh(known)) return claim(url, known)
    const addresses = await deadline.race(resolve(url))
    const current = lanes.get(url.origin)
    if (current && leadsTo(current, addresses)) {
      current.resolvedAt = performance.now()
      return claim(url, current)
    }
    if (current) retire(current)
    return claim(url, makeLane(url, addresses, options, current))
  }

  return {
    async enter(url, deadline) {
      const lane = await laneTo(url, deadline)
      const taken = [() => unclaim(lane)]
      const handBack = () => {
        for (const back of taken.splice(0)) back()
      }
      try {
        // First the turn with the origin: a slow one must not hold the turns of the others.
        taken.push(await lane.turns.take(deadline.signal))
        taken.push(await exchanges.take(deadline.signal))
      } catch (error) {
        handBack()
        throw error
      }
      const connection = takeConnection(lane)
      const leave = (reusable: boolean) => {
        if (taken.length === 0) return
        giveBack(lane, connection, reusable)
        handBack()
      }
      return { client: connection.client, leave }
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

const maximumExchanges = 256
const maximumLanes = 256

const unclaim = (lane: Lane) => {
  lane.users -= 1
}

function makeRoom(lanes: Map<string, Lane>): void {
  for (const [origin, lane] of lanes) {
    if (lanes.size <= maximumLanes) return
    if (lane.users > 0) continue
    lanes.delete(origin)
    retire(lane)
  }
}
