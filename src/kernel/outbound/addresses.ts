import { Resolver } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { OutboundFailure } from './failure.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [address: Address, bits: number]

/** Reads an address; an IPv4 one written as IPv6 (`::ffff:10.0.0.1`) becomes IPv4. */
export const parseAddress = (text: string): Address => ipaddr.process(withoutDots(text))

/** Reads `10.0.0.0/8`, `fd00::/8`, `::ffff:10.0.0.0/104` or a single address. */
function parseRange(text: string): Range {
  const [written = '', length, ...rest] = text.trim().split('/')
  const valid = ipaddr.IPv4.isValidFourPartDecimal(written) || ipaddr.IPv6.isValid(written)
  if (!valid || rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) throw invalidRange(text)
  const address = ipaddr.parse(withoutDots(written))
  const widest = address.kind() === 'ipv4' ? 32 : 128
  const bits = length === undefined ? widest : Number(length)
  if (bits > widest) throw invalidRange(text)
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96) {
    return [address.toIPv4Address(), bits - 96]
  }
  return [address, bits]
}

const parseRanges = (texts: readonly string[]) => texts.map(parseRange)

const within = (address: Address, ranges: readonly Range[]) =>
  ranges.some(([start, bits]) => start.kind() === address.kind() && address.match(start, bits))

// The parser takes `::10.0.0.1`, which is another address, for `::ffff:10.0.0.1`; written in hexadecimal it does not.
const withoutDots = (text: string) => (text.includes(':') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text)

const invalidRange = (text: string) => new Error(`"${text}" is not an IP address or CIDR range such as 10.0.0.0/8.`)

export type AddressRule = (address: string) => boolean

/** Makes the rule which addresses may be called: the public ones and the allowed ranges. */
export function addressRule(allow: readonly string[]): AddressRule {
  const allowed = parseRanges(allow)
  const permitted = (address: Address): boolean => {
    // Connecting to the unspecified address reaches this machine, whatever range it was allowed with.
    if (within(address, unspecified)) return false
    if (isPublic(address)) return true
    if (!within(address, allowed)) return false
    // A translation prefix that is allowed (networks with IPv6 only) must not become a door to private IPv4.
    const target = translated(address)
    return target === undefined || permitted(target)
  }
  return (text) => {
    try {
      return permitted(parseAddress(text))
    } catch {
      return false
    }
  }
}

/** Makes the rule which addresses were allowed by name: there any port may be called. */
export function allowanceRule(allow: readonly string[]): AddressRule {
  const allowed = parseRanges(allow)
  return (text) => within(parseAddress(text), allowed)
}

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return !within(address, specialIPv4)
  return within(address, globalIPv6) && !within(address, specialIPv6)
}

/** The IPv4 address that a gateway makes of an IPv6 one. */
function translated(address: Address): Address | undefined {
  const bytes = address.toByteArray()
  const offset = translations.find(([ranges]) => within(address, ranges))?.[1]
  if (offset === undefined) return undefined
  const embedded = bytes.slice(offset, offset + 4)
  return ipaddr.fromByteArray(within(address, teredo) ? embedded.map((byte) => byte ^ 0xff) : embedded)
}

const unspecified = parseRanges(['0.0.0.0', '::'])

const specialIPv4 = parseRanges([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16', // a cloud's platform service behind a public-looking address
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnelling
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved and broadcast
])

// Everything outside is loopback, local, multicast, translated or not assigned.
const globalIPv6 = parseRanges(['2000::/3'])

const teredo = parseRanges(['2001::/32'])

const specialIPv6 = parseRanges([
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the former 6bone
  '3fff::/20', // documentation
])

const translations = [
  [parseRanges(['64:ff9b::/96']), 12],
  [parseRanges(['64:ff9b:1::/48']), 12],
  [parseRanges(['2002::/16']), 2],
  [teredo, 12],
] as const

/** What a name stands for. */
export interface NameFacts {
  /** Where its CNAME leads, and on from there, in lower case; empty where it has none. */
  aliases: string[]
  /** Whether it has addresses in the end. */
  exists: boolean
  /** Whether one of them is no public one: then nothing about the name may be told to whoever asked. */
  isInternal: boolean
}

const isPublicAddress = addressRule([])

const mostHops = 8
/** Answers that say there is nothing, as opposed to none at all. */
const nothing = new Set(['ENODATA', 'ENOTFOUND'])

/** Follows the aliases of a name as the name servers (the system's unless told) give them. */
export async function followAliases(name: string, server?: string): Promise<NameFacts> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (server) resolver.setServers([server])
  const aliases: string[] = []
  let at = name
  while (aliases.length < mostHops) {
    const [next] = await asked(name, () => resolver.resolveCname(at))
    const alias = next?.toLowerCase().replace(/\.$/, '')
    // One that leads in circles leads nowhere new.
    if (!alias || aliases.includes(alias)) break
    aliases.push(alias)
    at = alias
  }
  const addresses = [
    ...(await asked(name, () => resolver.resolve4(at))),
    ...(await asked(name, () => resolver.resolve6(at))),
  ]
  const exists = addresses.length > 0
  return { aliases, exists, isInternal: addresses.some((address) => !isPublicAddress(address)) }
}

async function asked(name: string, ask: () => Promise<string[]>): Promise<string[]> {
  try {
    return await ask()
  } catch (error) {
    const code = String((error as { code?: unknown }).code)
    if (nothing.has(code)) return []
    const why = code === 'ETIMEOUT' ? 'did not answer in time' : 'could not answer'
    throw new OutboundFailure('dns', `The name servers that know ${name} ${why} (${code}).`, error)
  }
}
