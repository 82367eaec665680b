import type { Socket } from 'node:net'
import { Client } from 'undici'
import { pinnedConnector } from './connector.ts'
import type { ResolvedAddress } from './resolve.ts'
import { hostOf, portOf } from './target.ts'

export interface ConnectionOptions {
  connectTimeoutMs: number
  ca: readonly string[] | undefined
}

/** At most one socket to one of the checked addresses; it is opened with the first request. */
export interface Connection {
  client: Client
  /** Closes the socket at once, whether it is idle, busy or still being opened. */
  drop(): void
}

export function makeConnection(
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
    // The deadline of the exchange counts instead: these two start again with every byte.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const drop = () => {
    // Not just aborted: after an abort the client would open a new socket that nobody needs.
    void client.destroy()
    for (const socket of sockets) socket.destroy()
  }
  return { client, drop }
}

const idleMs = 4_000
const maximumHeaderBytes = 16_384
