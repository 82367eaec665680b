import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Range = readonly [address: Address, bits: number]

/** Reads an address; an IPv4 one written as IPv6 (`::ffff:10.0.0.1`) becomes IPv4. */
export const parseAddress = (text: string): Address => ipaddr.process(withoutDots(text))

/** Reads `10.0.0.0/8`, `fd00::/8`, `::ffff:10.0.0.0/104` or a single address. */
export function parseRange(text: string): Range {
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

export const parseRanges = (texts: readonly string[]) => texts.map(parseRange)

export const within = (address: Address, ranges: readonly Range[]) =>
  ranges.some(([start, bits]) => start.kind() === address.kind() && address.match(start, bits))

// The parser takes `::10.0.0.1`, which is another address, for `::ffff:10.0.0.1`; written in hexadecimal it does not.
const withoutDots = (text: string) => (text.includes(':') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text)

const invalidRange = (text: string) => new Error(`"${text}" is not an IP address or CIDR range such as 10.0.0.0/8.`)
