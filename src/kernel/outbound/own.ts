import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { parseAddress } from './ranges.ts'
import type { Lookup, ResolvedAddress } from './resolve.ts'

export type OwnRule = (addresses: readonly ResolvedAddress[], port: number) => Promise<boolean>

/** Makes the rule whether addresses are those of the service itself or of its database, given as host:port. */
export function ownRule(own: () => readonly string[], lookup: Lookup): OwnRule {
  return async (addresses, port) => {
    const targets = addresses.map(({ address }) => plain(address))
    const listeners = own().map(readListener)
    for (const { host } of listeners.filter((listener) => listener.port === port)) {
      if (isEverywhere(host) && targets.some((address) => address.startsWith('127.'))) return true
      const taken = (await addressesOf(host, lookup)).map(plain)
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

// A server that listens on the unspecified address answers on all addresses of the machine.
const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::'

async function addressesOf(host: string, lookup: Lookup): Promise<string[]> {
  if (isEverywhere(host)) return Object.values(networkInterfaces()).flatMap((list = []) => list.map(addressOf))
  if (host === 'localhost') return ['127.0.0.1', '::1']
  if (isIP(host) !== 0) return [host]
  return (await lookup(host).catch(() => [])).map(addressOf)
}

const addressOf = ({ address }: { address: string }) => address

const plain = (address: string) => parseAddress(address).toNormalizedString()
