import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4, isIPv6, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { forbidden, Refusal } from '../../errors.ts'

export interface TransportRules {
  /** Addresses and CIDR ranges whose X-Forwarded-Proto and X-Forwarded-For are believed. */
  trustedProxies: readonly string[]
  /** Serve plain HTTP to everybody: for private networks only. */
  allowHttp: boolean
}

/** Refuses a request that came by a way it may not come. */
type TransportGuard = (request: IncomingMessage) => void

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
const plainAddress = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

const contains = (list: BlockList, address: string) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

const loopback = addressList(['127.0.0.0/8', '::1'])

const isLoopback = (address: string) => contains(loopback, address)

export interface Hosts {
  /** Whether a request addresses the service by a name that nobody else can make point at it. */
  isKnown(request: IncomingMessage): boolean
}

/**
 * Knows the names of the service: those of loopback, the host of the public URL, the address it listens on. Whoever is trusted because of
 * where they come from must use one of them: a page that made its own name point at this machine (DNS rebinding) sends its own name.
 */
export const openHosts = (publicUrl: () => string, bindAddress: string): Hosts => ({
  isKnown({ headers: { host }, socket }) {
    // Browsers always send one.
    if (host === undefined) return true
    const name = nameIn(host)
    if (isLoopbackName(name) || name === plainAddress(socket.localAddress ?? '')) return true
    return name === bindAddress.toLowerCase() || name === nameIn(hostIn(publicUrl()))
  },
})

/** What is said to whoever comes by another name. */
export const unknownHost = ({ headers: { host = '' } }: IncomingMessage) =>
  new Refusal(
    'misdirected',
    `Here the service is reached as localhost, by its address, or by the host of CHORUS_PUBLIC_URL; "${host.slice(0, 100)}" is none of these.`,
  )

function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  return isIP(name) !== 0 && isLoopback(plainAddress(name))
}

/** Without port and brackets, and without the dot that ends a complete name. */
const nameIn = (host: string) =>
  host
    .toLowerCase()
    .replace(/:\d{0,5}$/, '')
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')

const hostIn = (url: string) => (url === '' ? '' : new URL(url).host)

/** What a browser says of where a request comes from. Programs that are no browsers say nothing. */
export interface OriginCheck {
  /** A browser says that another site makes it send this. */
  isElsewhere(request: IncomingMessage): boolean
  /** Another site wants something for a page of its own: anything but that a person goes there. */
  isEmbedding(request: IncomingMessage): boolean
  /** A browser says that a page of the service itself sends this. */
  isOwn(request: IncomingMessage): boolean
}

export function openOriginCheck(publicUrl: () => string): OriginCheck {
  const isOurs = (origin: string, { headers: { host = '' } }: IncomingMessage) =>
    origin === `https://${host}` || origin === `http://${host}` || origin === originOf(publicUrl())
  const isElsewhere = (request: IncomingMessage) => {
    const { 'sec-fetch-site': site, origin } = request.headers
    // The browser's own word: no page can change it, and proxies that rename the host leave it alone.
    if (site === 'same-origin') return false
    return isOther(site) || (origin !== undefined && !isOurs(origin, request))
  }
  return {
    isElsewhere,
    isEmbedding(request) {
      const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': use, upgrade } = request.headers
      // Of a socket browsers tell the origin alone.
      if (upgrade !== undefined) return isElsewhere(request)
      return isOther(site) && !(mode === 'navigate' && use === 'document')
    },
    isOwn(request) {
      const { 'sec-fetch-site': site, origin } = request.headers
      return site === undefined ? origin !== undefined && isOurs(origin, request) : site === 'same-origin'
    },
  }
}

/** Another port of the same host is the same site, but not ours. */
const isOther = (site: string | string[] | undefined) => site === 'cross-site' || site === 'same-site'

let known = { url: '', origin: '' }

function originOf(url: string): string {
  if (known.url !== url) known = { url, origin: url === '' ? '' : new URL(url).origin }
  return known.origin
}
