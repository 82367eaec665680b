import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv4, isIPv6, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { forbidden } from '../../errors.ts'

export interface TransportRules {
  /** Addresses and CIDR ranges whose X-Forwarded-Proto and X-Forwarded-For are believed. */
  trustedProxies: readonly string[]
  /** Serve plain HTTP to everybody: for private networks only. */
  allowHttp: boolean
}

/** Refuses a request that came by a way it may not come. */
export type TransportGuard = (request: IncomingMessage) => void

/** Makes the check that nobody but the machine itself speaks plain HTTP with the service. */
export function transportGuard({ trustedProxies, allowHttp }: TransportRules): TransportGuard {
  const proxies = addressList(trustedProxies)
  // A connection keeps its address, so what it is need not be worked out for every request on it.
  const peers = new WeakMap<Socket, Peer>()
  const peerOf = (socket: Socket): Peer => {
    const address = plainAddress(socket.remoteAddress ?? '')
    const peer = { proxy: contains(proxies, address), local: isLoopback(address) }
    peers.set(socket, peer)
    return peer
  }
  return (request) => {
    const { socket } = request
    if (allowHttp || (socket as TLSSocket).encrypted) return
    const { proxy, local } = peers.get(socket) ?? peerOf(socket)
    // Headers are put in order when somebody first asks for them; most requests need none of them here.
    const forwarded = proxy ? request.headers['x-forwarded-proto'] : undefined
    if (forwarded !== undefined) {
      if (firstOf(String(forwarded)) === 'https') return
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

/** Where a request comes from, as far as it can be believed. */
export interface Client {
  readonly address: string
  readonly secure: boolean
}

/** Makes the reader of who is at the other end: behind trusted proxies, the first address that none of them has. */
export function clientReader(trustedProxies: readonly string[]): (request: IncomingMessage) => Client {
  const proxies = addressList(trustedProxies)
  const direct = new WeakMap<Socket, Client & { proxy: boolean }>()
  const directOf = (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    const secure = (socket as TLSSocket).encrypted === true
    const client = { address, secure, proxy: address !== '' && contains(proxies, address) }
    direct.set(socket, client)
    return client
  }
  return (request) => {
    const { socket } = request
    const client = direct.get(socket) ?? directOf(socket)
    if (!client.proxy) return client
    const { headers } = request
    const protocol = headers['x-forwarded-proto']
    const secure = protocol === undefined ? client.secure : firstOf(String(protocol)) === 'https'
    return { secure, address: forwardedFor(String(headers['x-forwarded-for'] ?? ''), proxies) ?? client.address }
  }
}

/** Whether a request comes from this machine itself: not through a proxy on it, which may bring anybody's. */
export function isFromHere({ socket, headers }: IncomingMessage, trustedProxies: readonly string[]): boolean {
  const address = plainAddress(socket.remoteAddress ?? '')
  if (!isLoopback(address) || contains(addressList(trustedProxies), address)) return false
  return !Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || proxyHeaders.has(name))
}

const proxyHeaders = new Set(['forwarded', 'via', 'x-real-ip'])

const firstOf = (list: string) => list.split(',')[0]?.trim()

/** Each proxy adds whom it saw at the end of the list; what stands before the first stranger, the stranger may have written. */
function forwardedFor(list: string, proxies: BlockList): string | undefined {
  let nearest: string | undefined
  for (const entry of list.split(',').reverse()) {
    const address = plainAddress(withoutPort(entry.trim()))
    if (!isIPv4(address) && !isIPv6(address)) return nearest
    nearest = address
    if (!contains(proxies, address)) return nearest
  }
  return nearest
}

/** `203.0.113.9:4711` and `[2001:db8::9]:4711`, as some proxies write them. */
function withoutPort(entry: string): string {
  if (entry.startsWith('[')) return entry.slice(1, entry.indexOf(']'))
  const [address = '', ...more] = entry.split(':')
  return more.length === 1 ? address : entry
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

/** IPv4 addresses as they are, also where a socket shows them as IPv6. */
export const plainAddress = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

const contains = (list: BlockList, address: string) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

const loopback = addressList(['127.0.0.0/8', '::1'])

export const isLoopback = (address: string) => contains(loopback, address)
