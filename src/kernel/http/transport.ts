import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv4, isIPv6, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { forbidden } from '../errors.ts'

export interface TransportRules {
  /** Addresses and CIDR ranges whose X-Forwarded-Proto is believed. */
  trustedProxies: readonly string[]
  /** Serve plain HTTP to everybody: for private networks only. */
  allowHttp: boolean
}

/** Refuses a request that came by a way it may not come. */
export type TransportGuard = (request: IncomingMessage) => void

/** Makes the check that nobody but the machine itself speaks plain HTTP with the service. */
export function transportGuard({ trustedProxies, allowHttp }: TransportRules): TransportGuard {
  const proxies = addressList(trustedProxies)
  const loopback = addressList(['127.0.0.0/8', '::1'])
  // A connection keeps its address, so what it is need not be worked out for every request on it.
  const peers = new WeakMap<Socket, Peer>()
  const peerOf = (socket: Socket): Peer => {
    const address = plainAddress(socket.remoteAddress ?? '')
    const peer = { proxy: contains(proxies, address), local: contains(loopback, address) }
    peers.set(socket, peer)
    return peer
  }
  return ({ socket, headers }) => {
    if (allowHttp || (socket as TLSSocket).encrypted) return
    const { proxy, local } = peers.get(socket) ?? peerOf(socket)
    const forwarded = headers['x-forwarded-proto']
    if (forwarded !== undefined && proxy) {
      if (String(forwarded).split(',')[0]?.trim() === 'https') return
    } else if (local) return
    throw forbidden(
      'This service is reached over HTTPS only. Use the https:// address, or let a trusted proxy set X-Forwarded-Proto.',
    )
  }
}

interface Peer {
  proxy: boolean
  local: boolean
}

function addressList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return list
}

const plainAddress = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

const contains = (list: BlockList, address: string) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
