import { isIPv6, type Socket } from 'node:net'
import { openPinned } from './connector.ts'
import { refused } from './failure.ts'
import type { ResolvedAddress } from './resolve.ts'
import { hostOf, type Ports, portOf } from './target.ts'

/** A connection that is wanted for another protocol than HTTP. */
export interface SocketRequest {
  /** A name or an address. */
  host: string
  port: number
  /** Until it stands; as long as other connections may take unless told. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** Those of file transfers, and those that nobody has for himself: servers of files name such for each transfer. */
export const socketPorts: Ports = {
  allows: (port) => [21, 22, 990].includes(port) || port >= 1024,
  advice: '21, 22, 990 or one from 1024 on',
}

/** Host and port as the rules for addresses read them. */
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

/** Opens it to one of the addresses that were checked; it is among the sockets as long as it is open. */
export const openSocket = (
  url: URL,
  addresses: readonly ResolvedAddress[],
  timeoutMs: number,
  sockets: Set<Socket>,
): Promise<Socket> =>
  openPinned({ host: hostOf(url), port: portOf(url), secure: false, addresses, timeoutMs, ca: undefined, sockets })
