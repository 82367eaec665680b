import { isIP } from 'node:net'
import type { AddressRule } from './addresses.ts'
import { OutboundFailure, refused } from './failure.ts'
import type { OwnRule } from './own.ts'
import type { Lookup, ResolvedAddress } from './resolve.ts'

/** Which ports may be called at addresses that are not allowed by name, and what is said of others. */
export type Ports = 'any' | readonly number[] | { readonly allows: (port: number) => boolean; readonly advice: string }

export interface TargetRules {
  permitted: AddressRule
  /** Allowed by name. */
  allowed: AddressRule
  lookup: Lookup
  ports: Ports
  isOwn: OwnRule
}

const remembered = new Map<string, URL>()
const maximumRemembered = 1000

/** Reads a URL as far as can be judged without asking a name server. The same few are called again and again. */
export function readTarget(text: string): URL {
  const known = remembered.get(text)
  if (known) return known
  const url = readLink(text)
  if (remembered.size >= maximumRemembered) remembered.clear()
  remembered.set(text, url)
  return url
}

/** The same for a text that may be relative to where it was found. */
export function readLink(text: string, base?: URL): URL {
  const url = parseUrl(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refused('The URL must begin with http:// or https://.')
  if (url.username !== '' || url.password !== '') throw refused('The URL must not contain a user name or password.')
  if (hostOf(url) === '') throw refused('The URL has no host.')
  return url
}

/** Finds the addresses of a URL's host, and throws unless every one of them may be called. */
export async function resolveTarget(url: URL, rules: TargetRules): Promise<ResolvedAddress[]> {
  const addresses = await addressesOf(hostOf(url), rules)
  if (addresses.length === 0) throw new OutboundFailure('dns', `${url.hostname} has no address.`)
  // The sentence names no address: who asks must not learn the names and numbers of a private network.
  if (!addresses.every(({ address }) => rules.permitted(address))) {
    throw refused(`${url.hostname} is not reached at a public address, so it is not called.`)
  }
  const advice = adviceAgainst(rules.ports, portOf(url))
  if (advice && !addresses.every(({ address }) => rules.allowed(address))) {
    throw refused(`Port ${portOf(url)} is not allowed; use ${advice}.`)
  }
  if (await rules.isOwn(addresses, portOf(url))) {
    throw refused(`${url.host} is this service itself, so it is not called.`)
  }
  return addresses
}

/** What to use instead of a port that may not be called. */
function adviceAgainst(ports: Ports, port: number): string | undefined {
  if (ports === 'any') return undefined
  if ('allows' in ports) return ports.allows(port) ? undefined : ports.advice
  return ports.includes(port) ? undefined : `one of ${ports.join(', ')}`
}

/** The host without brackets and without the dot that ends a complete name. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

export const portOf = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

// Not by URL.canParse: in Node 20 it says no to names with accents once it has been called often enough.
function parseUrl(text: string, base: URL | undefined): URL {
  try {
    return new URL(text, base)
  } catch {
    throw refused('The URL is not valid.')
  }
}

async function addressesOf(host: string, { lookup, permitted }: TargetRules): Promise<ResolvedAddress[]> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family: family === 6 ? 6 : 4 }]
  if (host === 'localhost' || host.endsWith('.localhost')) {
    const usable = loopback.filter(({ address }) => permitted(address))
    return usable.length > 0 ? usable : loopback
  }
  try {
    return await lookup(host)
  } catch (error) {
    throw new OutboundFailure('dns', `The name ${host} could not be resolved.`, error)
  }
}

const loopback: ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
