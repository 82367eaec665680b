import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type AddressRule, parseAddress } from './addresses.ts'
import { Deadline, limiter } from './deadline.ts'
import { OutboundFailure, refused } from './failure.ts'

/** Permitted ports at IP addresses that are not explicitly allowed, and the advice in the error for others. */
export type Ports = 'any' | readonly number[] | { readonly allows: (port: number) => boolean; readonly advice: string }

interface TargetRules {
  permitted: AddressRule
  /** Explicitly allowed. */
  allowed: AddressRule
  lookup: Lookup
  ports: Ports
  isOwn: OwnRule
}

const remembered = new Map<string, URL>()
const maximumRemembered = 1000

/** Parses and validates a URL as far as possible without DNS. Results are cached, since the same few URLs are called repeatedly. */
export function readTarget(text: string): URL {
  const known = remembered.get(text)
  if (known) return known
  const url = readLink(text)
  if (remembered.size >= maximumRemembered) remembered.clear()
  remembered.set(text, url)
  return url
}

/** The same for a URL that may be relative to a base. */
export function readLink(text: string, base?: URL): URL {
  const url = parseUrl(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refused('The URL must begin with http:// or https://.')
  if (url.username !== '' || url.password !== '') throw refused('The URL must not contain a user name or password.')
  if (hostOf(url) === '') throw refused('The URL has no host.')
  return url
}

/** Resolves the host of a URL, and throws unless every IP address may be called. */
export async function resolveTarget(url: URL, rules: TargetRules): Promise<ResolvedAddress[]> {
  const addresses = await addressesOf(hostOf(url), rules)
  if (addresses.length === 0) throw new OutboundFailure('dns', `${url.hostname} has no address.`)
  // The message contains no IP address: callers must not learn the names and addresses of a private network.
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

/** Advice on ports to use instead of a refused one. */
function adviceAgainst(ports: Ports, port: number): string | undefined {
  if (ports === 'any') return undefined
  if ('allows' in ports) return ports.allows(port) ? undefined : ports.advice
  return ports.includes(port) ? undefined : `one of ${ports.join(', ')}`
}

/** The host without brackets and without the trailing dot of a fully qualified name. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

export const portOf = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

// Not URL.canParse: in Node 20 it rejects names with accents once it has been called often enough.
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

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>

/** Queries the name servers (the system's by default); names they don't know may be in the hosts file. */
export async function resolveName(hostname: string, servers?: readonly string[]): Promise<ResolvedAddress[]> {
  // The system's resolver occupies a thread for every slow name, so it is not used for user-supplied names.
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (servers) resolver.setServers(servers)
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const found = [...answers(four, 4), ...answers(six, 6)]
  if (found.length > 0) return found
  const failure = four.status === 'rejected' ? four.reason : undefined
  if (failure?.code === 'ETIMEOUT') throw failure
  return fromSystem(hostname)
}

const answers = (result: PromiseSettledResult<string[]>, family: 4 | 6): ResolvedAddress[] =>
  result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []

// Leaves two of the four pool threads free for files and passwords.
const systemTurns = limiter(2)

async function fromSystem(hostname: string): Promise<ResolvedAddress[]> {
  const deadline = new Deadline(5_000, hostname)
  await systemTurns.take(deadline)
  try {
    const found = await systemLookup(hostname, { all: true })
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
  } finally {
    deadline.clear()
    systemTurns.release()
  }
}

type OwnRule = (addresses: readonly ResolvedAddress[], port: number) => Promise<boolean>

/** Returns the rule that matches IP addresses of the service itself or of its database, given as host:port. */
export function ownRule(own: () => readonly string[], lookup: Lookup): OwnRule {
  return async (addresses, port) => {
    const targets = addresses.map(({ address }) => plain(address))
    const listeners = own().map(readListener)
    for (const { host } of listeners.filter((listener) => listener.port === port)) {
      if (isEverywhere(host) && targets.some((address) => address.startsWith('127.'))) return true
      const taken = (await ownAddressesOf(host, lookup)).map(plain)
      if (taken.some((address) => targets.includes(address))) return true
    }
    return false
  }
}

function readListener(text: string): { host: string; port: number } {
  const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]/]+):(\d+)$/.exec(text) ?? []
  if (host === undefined) throw new Error(`"${text}" is not an address such as 127.0.0.1:3000 or [::1]:3000.`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

// A server that listens on the unspecified address is reachable at all addresses of the machine.
const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::'

async function ownAddressesOf(host: string, lookup: Lookup): Promise<string[]> {
  if (isEverywhere(host)) return Object.values(networkInterfaces()).flatMap((list = []) => list.map(addressOf))
  if (host === 'localhost') return ['127.0.0.1', '::1']
  if (isIP(host) !== 0) return [host]
  return (await lookup(host).catch(() => [])).map(addressOf)
}

const addressOf = ({ address }: { address: string }) => address

const plain = (address: string) => parseAddress(address).toNormalizedString()
