import { type Lookup, type Outbound, openOutbound } from '#kernel/outbound/outbound.ts'
import type { Settings } from '../settings/settings.ts'

/** In the demo, webhook receivers on this machine may be called. */
const loopback = ['127.0.0.0/8', '::1/128']

/** The private IP ranges this installation may call. */
export const allowedRanges = ({ outboundAllow, demo }: Settings) => [...outboundAllow, ...(demo ? loopback : [])]

interface OutboundClientOptions {
  settings: Settings
  databaseUrl: string
  /** The service's own port; undefined until it listens. */
  port: () => number | undefined
  lookup?: Lookup | undefined
  socketsPerOrigin: number
}

/** The client for outbound requests, which can never reach the service itself or its database. */
export function openOutboundClient({
  settings,
  databaseUrl,
  port,
  lookup,
  socketsPerOrigin,
}: OutboundClientOptions): Outbound {
  const { host, publicUrl, shortUrl, dnsServer: nameServer } = settings
  const urls = [publicUrl, shortUrl].filter((url) => url !== undefined).map(listenerOf)
  const database = listenerOf(databaseUrl)
  const own = () => {
    const listening = port()
    return [...urls, database, ...(listening ? [`${bracketed(host)}:${listening}`] : [])]
  }
  return openOutbound({
    allow: allowedRanges(settings),
    own,
    socketsPerOrigin,
    maximumCalls: 512,
    nameServer,
    ...(lookup && { lookup }),
  })
}

/** The service's URL according to its settings, for related processes. */
export const ownAddress = ({ publicUrl, host, port, tlsCert }: Settings) =>
  publicUrl ?? `http${tlsCert ? 's' : ''}://${host === '0.0.0.0' ? '127.0.0.1' : bracketed(host)}:${port}`

/** A wildcard host is replaced by the loopback address. */
export const connectableUrl = (url: string) => url.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]')

/** Base URL of short links. */
export const shortAddress = (settings: Settings) => settings.shortUrl ?? `${ownAddress(settings)}/l`

function listenerOf(text: string): string {
  const { protocol, hostname, port } = new URL(text)
  const defaultPort = protocol === 'https:' ? 443 : protocol === 'http:' ? 80 : 5432
  return `${hostname || 'localhost'}:${port || defaultPort}`
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host)
