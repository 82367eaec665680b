import { Resolver } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { OutboundFailure } from './failure.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [address: Address, bits: number]

/** Parses an IP address; an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) becomes IPv4. */
export const parseAddress = (text: string): Address => ipaddr.process(withoutDots(text))

/** Parses `10.0.0.0/8`, `fd00::/8`, `::ffff:10.0.0.0/104` or a single IP address. */
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

// The parser mistakes `::10.0.0.1`, a different address, for `::ffff:10.0.0.1`; in hexadecimal form it does not.
const withoutDots = (text: string) => (text.includes(':') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text)

const invalidRange = (text: string) => new Error(`"${text}" is not an IP address or CIDR range such as 10.0.0.0/8.`)

export type AddressRule = (address: string) => boolean

/** Returns the rule for permitted IP addresses: public ones and the allowed ranges. */
export function addressRule(allow: readonly string[]): AddressRule {
  const allowed = parseRanges(allow)
  const permitted = (address: Address): boolean => {
    // Connecting to the unspecified address reaches this machine, whatever range allowed it.
    if (within(address, unspecified)) return false
    if (isPublic(address)) return true
    if (!within(address, allowed)) return false
    // An allowed NAT64 prefix (IPv6-only networks) must not open access to private IPv4 addresses.
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

/** Returns the rule for explicitly allowed IP addresses, for which any port is permitted. */
export function allowanceRule(allow: readonly string[]): AddressRule {
  const allowed = parseRanges(allow)
  return (text) => within(parseAddress(text), allowed)
}

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return !within(address, specialIPv4)
  return within(address, globalIPv6) && !within(address, specialIPv6)
}

/** The IPv4 address to which a gateway translates an IPv6 address. */
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
  '168.63.129.16', // a cloud platform service behind a public address
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

// Everything else is loopback, local, multicast, translated or unassigned.
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

/** DNS information about a host name. */
export interface NameFacts {
  /** Its CNAME chain, in lower case; empty if it has none. */
  aliases: string[]
  /** Whether it resolves to IP addresses. */
  exists: boolean
  /** Whether one of them is not public: then nothing about the name may be disclosed to the caller. */
  isInternal: boolean
}

const isPublicAddress = addressRule([])

const mostHops = 8
/** Errors that mean there is no record, as opposed to no response. */
const nothing = new Set(['ENODATA', 'ENOTFOUND'])

/** Follows the CNAME records of a name, using the system's name servers by default. */
export async function followAliases(name: string, server?: string): Promise<NameFacts> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (server) resolver.setServers([server])
  const aliases: string[] = []
  let at = name
  while (aliases.length < mostHops) {
    const [next] = await queryRecords(name, () => resolver.resolveCname(at))
    const alias = next?.toLowerCase().replace(/\.$/, '')
    // Stops at a cycle.
    if (!alias || aliases.includes(alias)) break
    aliases.push(alias)
    at = alias
  }
  const addresses = [
    ...(await queryRecords(name, () => resolver.resolve4(at))),
    ...(await queryRecords(name, () => resolver.resolve6(at))),
  ]
  const exists = addresses.length > 0
  return { aliases, exists, isInternal: addresses.some((address) => !isPublicAddress(address)) }
}

async function queryRecords(name: string, ask: () => Promise<string[]>): Promise<string[]> {
  try {
    return await ask()
  } catch (error) {
    const code = String((error as { code?: unknown }).code)
    if (nothing.has(code)) return []
    const why = code === 'ETIMEOUT' ? 'did not answer in time' : 'could not answer'
    throw new OutboundFailure('dns', `The name servers that know ${name} ${why} (${code}).`, error)
  }
}
