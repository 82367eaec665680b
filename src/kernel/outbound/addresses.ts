import ipaddr from 'ipaddr.js'
import { type Address, parseAddress, parseRanges, within } from './ranges.ts'

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
