import { type Connection, type ConnectionOptions, makeConnection } from './connection.ts'
import type { Limiter } from './limiter.ts'
import type { ResolvedAddress } from './resolve.ts'

/** The connections to one origin, all of them to addresses that were checked. */
export interface Lane {
  addresses: readonly ResolvedAddress[]
  resolvedAt: number
  usedAt: number
  /** No more exchanges at the same time than there may be sockets. */
  turns: Limiter
  users: number
  idle: Connection[]
  retired: boolean
  connect: () => Connection
}

export function makeLane(
  url: URL,
  addresses: readonly ResolvedAddress[],
  options: ConnectionOptions,
  /** The origin's, whatever its addresses are. */
  turns: Limiter,
): Lane {
  const connect = () => makeConnection(url, addresses, options)
  return { addresses, resolvedAt: performance.now(), usedAt: 0, turns, users: 0, idle: [], retired: false, connect }
}

export const isFresh = (lane: Lane, now: number) => now - lane.resolvedAt < addressLifeMs

export const leadsTo = (lane: Lane, addresses: readonly ResolvedAddress[]) => keyOf(lane.addresses) === keyOf(addresses)

/** The connection used last is the one most likely to be open still. */
export const takeConnection = (lane: Lane): Connection => lane.idle.pop() ?? lane.connect()

export function giveBack(lane: Lane, connection: Connection, reusable: boolean): void {
  if (reusable && !lane.retired) lane.idle.push(connection)
  else connection.drop()
}

/** Closes the connections as soon as nobody uses them. */
export function retire(lane: Lane): void {
  lane.retired = true
  for (const connection of lane.idle.splice(0)) connection.drop()
}

const addressLifeMs = 30_000

const keyOf = (addresses: readonly ResolvedAddress[]) =>
  addresses
    .map(({ address }) => address)
    .sort()
    .join(' ')
