import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { Refusal } from '../../errors.ts'
import { isLoopback, plainAddress } from './transport.ts'

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
