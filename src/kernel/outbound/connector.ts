import { connect as connectTcp, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import { parseAddress } from './addresses.ts'
import { OutboundFailure, refused } from './failure.ts'
import { hostOf, type Ports, portOf, type ResolvedAddress } from './target.ts'

export interface ConnectorOptions {
  host: string
  port: number
  secure: boolean
  /** The checked IP addresses; connections are opened to no others. */
  addresses: readonly ResolvedAddress[]
  timeoutMs: number
  ca: readonly string[] | undefined
  /** All open sockets, whether idle or in use. */
  sockets: Set<Socket>
  /** Takes received bytes, which are overwritten afterwards, instead of a listener. */
  receive?: (bytes: Buffer) => void
}

/** Opens connections to the pinned IP addresses, under the host name they belong to. */
export function pinnedConnector(options: ConnectorOptions): buildConnector.connector {
  return (_asked, callback) => {
    openPinned(options).then(
      (socket) => callback(null, socket),
      (failure) => callback(failure, null),
    )
  }
}

/** Opens one connection to one of the pinned IP addresses. */
export async function openPinned(options: ConnectorOptions): Promise<Socket> {
  const plain = connectPinned(options)
  options.sockets.add(plain)
  plain.once('close', () => options.sockets.delete(plain))
  const timer = setTimeout(() => plain.destroy(new Error('connect timeout')), options.timeoutMs)
  try {
    await settled(plain, 'connect', (error) => cannotConnect(options, error))
    if (!isPinned(plain, options)) throw cannotConnect(options, new Error('connected to another address'))
    if (!options.secure) return plain
    const secure = connectTls(tlsOptions(plain, options))
    await settled(secure, 'secureConnect', (error) => cannotTrust(options, error))
    if (options.receive) secure.on('data', options.receive)
    return secure
  } catch (error) {
    plain.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Into which all sockets with a receiver read, one after the other. */
const received = Buffer.allocUnsafeSlow(65_536)

function connectPinned({ host, port, addresses, secure, receive }: ConnectorOptions): Socket {
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    const [first] = addresses
    if (all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
  // A literal IP address is not looked up; it is itself the pinned one.
  const socket = connectTcp({
    host,
    port,
    lookup,
    autoSelectFamily: true,
    noDelay: true,
    // Without a stream and a buffer for every read.
    ...(receive && !secure && { onread: { buffer: received, callback: taker(receive) } }),
  })
  // The later owner adds its own listener, but an error must never be without one.
  socket.on('error', () => {})
  return socket
}

const taker = (receive: (bytes: Buffer) => void) => (length: number) => {
  receive(received.subarray(0, length))
  return true
}

function tlsOptions(socket: Socket, { host, ca }: ConnectorOptions) {
  return {
    socket,
    host,
    // Host names only: an IP address must not be sent as SNI, but is still compared with the certificate.
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED can't disable it.
    rejectUnauthorized: true,
    ...(ca && { ca: [...ca] }),
  }
}

function settled(socket: Socket, event: string, failure: (error?: Error) => OutboundFailure): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve)
    socket.once('error', (error) => reject(failure(error)))
    socket.once('close', () => reject(failure()))
  })
}

function isPinned({ remoteAddress = '' }: Socket, { addresses }: ConnectorOptions): boolean {
  const plain = (address: string) => parseAddress(address).toNormalizedString()
  return remoteAddress !== '' && addresses.some(({ address }) => plain(address) === plain(remoteAddress))
}

const cannotConnect = ({ host, port }: ConnectorOptions, error?: Error) =>
  new OutboundFailure('connect', `No connection to ${host} on port ${port} could be made.`, error)

const cannotTrust = ({ host }: ConnectorOptions, error?: Error) =>
  new OutboundFailure('tls', `No secure connection to ${host} could be made${reason(error)}.`, error)

const reason = (error: Error | undefined) => {
  const code = String((error as { code?: unknown } | undefined)?.code ?? '')
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return ': its certificate is for another name'
  if (code === 'CERT_HAS_EXPIRED') return ': its certificate has expired'
  return /SELF_SIGNED|UNABLE_TO|CERT/.test(code) ? ': its certificate is not trusted' : ''
}

/** A connection for a protocol other than HTTP. */
export interface SocketRequest {
  /** Host name or IP address. */
  host: string
  port: number
  /** Connect timeout; the general one by default. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** The ports of file transfer protocols and unprivileged ports, which FTP servers assign to each transfer. */
export const socketPorts: Ports = {
  allows: (port) => [21, 22, 990].includes(port) || port >= 1024,
  advice: '21, 22, 990 or one from 1024 on',
}

/** Host and port as a URL, for the target checks. */
export function targetOf(host: string, port: number): URL {
  const named = isIPv6(host) ? `[${host}]` : host
  if (!/^[^\s/?#@\\:[\]]+$|^\[[0-9a-fA-F:.]+\]$/.test(named)) throw refused('The host is not valid.')
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw refused('The port must be 1 to 65535.')
  try {
    return new URL(`http://${named}:${port}`)
  } catch {
    throw refused('The host is not valid.')
  }
}

/** Opens a socket to one of the checked IP addresses; `sockets` contains it while it is open. */
export const openSocket = (
  url: URL,
  addresses: readonly ResolvedAddress[],
  timeoutMs: number,
  sockets: Set<Socket>,
): Promise<Socket> =>
  openPinned({ host: hostOf(url), port: portOf(url), secure: false, addresses, timeoutMs, ca: undefined, sockets })
