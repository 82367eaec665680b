import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4, isIPv6, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { forbidden, Refusal } from '../../errors.ts'

export interface TransportRules {
  /** IP addresses and CIDR ranges whose X-Forwarded-Proto and X-Forwarded-For headers are trusted. */
  trustedProxies: readonly string[]
  /** Serve plain HTTP to all clients: for private networks only. */
  allowHttp: boolean
}

/** Refuses a request that arrived over a transport that is not allowed. */
type TransportGuard = (request: IncomingMessage) => void

/** Returns the check that only clients on this machine use plain HTTP. */
export function transportGuard({ trustedProxies, allowHttp }: TransportRules): TransportGuard {
  const proxies = addressList(trustedProxies)
  // The IP address of a connection doesn't change, so the result is cached per socket.
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
    // Node parses headers on first access; most requests need none of them here.
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

/** Origin of a request, as far as it can be trusted. */
export interface Client {
  readonly address: string
  readonly secure: boolean
}

/** Returns a function that determines the client: behind trusted proxies, the nearest IP address that is not one of them. */
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

/** Whether a request comes from this machine itself and not through a local proxy, which may forward requests of any client. */
export function isLocalClient({ socket, headers }: IncomingMessage, trustedProxies: readonly string[]): boolean {
  const address = plainAddress(socket.remoteAddress ?? '')
  if (!isLoopback(address) || contains(addressList(trustedProxies), address)) return false
  return !Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || proxyHeaders.has(name))
}

const proxyHeaders = new Set(['forwarded', 'via', 'x-real-ip'])

const firstOf = (list: string) => list.split(',')[0]?.trim()

/** Each proxy appends the address it saw. Entries before the first untrusted address may be forged by that client. */
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

/** IPv4 addresses in plain form, also if a socket shows them as IPv4-mapped IPv6. */
const plainAddress = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

const contains = (list: BlockList, address: string) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

const loopback = addressList(['127.0.0.0/8', '::1'])

const isLoopback = (address: string) => contains(loopback, address)

export interface Hosts {
  /** Whether the Host header is a name that no third party can point at this service. */
  isKnown(request: IncomingMessage): boolean
}

/**
 * Knows the host names of the service: loopback, the host of the public URL, the bind address. Callers that are trusted because of their IP
 * address must use one of them: with DNS rebinding, a page sends its own host name.
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

/** Response to a request with another host name. */
export const unknownHost = ({ headers: { host = '' } }: IncomingMessage) =>
  new Refusal(
    'misdirected',
    `Here the service is reached as localhost, by its address, or by the host of CHORUS_PUBLIC_URL; "${host.slice(0, 100)}" is none of these.`,
  )

function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  return isIP(name) !== 0 && isLoopback(plainAddress(name))
}

/** Without port, brackets and the trailing dot of a fully qualified name. */
const nameIn = (host: string) =>
  host
    .toLowerCase()
    .replace(/:\d{0,5}$/, '')
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')

const hostIn = (url: string) => (url === '' ? '' : new URL(url).host)

/** Checks the origin headers of browsers. Other clients send none. */
export interface OriginCheck {
  /** The request was triggered by another site. */
  isElsewhere(request: IncomingMessage): boolean
  /** Another site embeds or fetches the resource: any cross-site request except top-level navigation. */
  isEmbedding(request: IncomingMessage): boolean
  /** The request was sent by a page of the service itself. */
  isOwn(request: IncomingMessage): boolean
}

export function openOriginCheck(publicUrl: () => string): OriginCheck {
  const isOurs = (origin: string, { headers: { host = '' } }: IncomingMessage) =>
    origin === `https://${host}` || origin === `http://${host}` || origin === originOf(publicUrl())
  const isElsewhere = (request: IncomingMessage) => {
    const { 'sec-fetch-site': site, origin } = request.headers
    // Sec-Fetch-Site is set by the browser: pages can't change it, and proxies that rewrite the host leave it alone.
    if (site === 'same-origin') return false
    return isOther(site) || (origin !== undefined && !isOurs(origin, request))
  }
  return {
    isElsewhere,
    isEmbedding(request) {
      const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': use, upgrade } = request.headers
      // Browsers send only the Origin header with WebSocket requests.
      if (upgrade !== undefined) return isElsewhere(request)
      return isOther(site) && !(mode === 'navigate' && use === 'document')
    },
    isOwn(request) {
      const { 'sec-fetch-site': site, origin } = request.headers
      return site === undefined ? origin !== undefined && isOurs(origin, request) : site === 'same-origin'
    },
  }
}

/** Another port of the same host is the same site, but not the same origin. */
const isOther = (site: string | string[] | undefined) => site === 'cross-site' || site === 'same-site'

let known = { url: '', origin: '' }

function originOf(url: string): string {
  if (known.url !== url) known = { url, origin: url === '' ? '' : new URL(url).origin }
  return known.origin
}
