import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Log } from '#kernel/log.ts'
import { openOrganisations } from './organisations.ts'
import { nowhere, type Place } from './place.ts'
import { openPlaces } from './places.ts'

/** Tells where an address is. */
export type Geo = (address: string) => Promise<Place>

interface GeoOptions {
  on: boolean
  log: Log
}

const mostRemembered = 20_000

/**
 * Looks addresses up in the databases that come with the service; nobody outside is asked. They are opened when the first address
 * of their kind is, and what cannot be opened leaves its part of the answer empty.
 */
export function openGeo({ on, log }: GeoOptions): Geo {
  if (!on) return async () => nowhere
  const remembered = new Map<string, Place>()
  const opened = new Map<4 | 6, ReturnType<typeof openBoth>>()

  return async (address) => {
    const known = remembered.get(address)
    if (known) return known
    const read = readAddress(address)
    if (!read) return nowhere
    const opening = opened.get(read.version) ?? openBoth(read.version, log)
    opened.set(read.version, opening)
    const { placeOf, ownerOf } = await opening
    const place = { ...nowhere, ...placeOf(read.text), organization: ownerOf(read.number) ?? '' }
    if (remembered.size >= mostRemembered) remembered.clear()
    remembered.set(address, place)
    return place
  }
}

async function openBoth(version: 4 | 6, log: Log) {
  const orNothing = (what: string) => (error: unknown) => {
    log.error({ err: error }, `The database of ${what} cannot be opened; clicks are counted without it.`)
    return () => undefined
  }
  const [placeOf, ownerOf] = await Promise.all([
    openPlaces(version).catch(orNothing('places')),
    openOrganisations(version).catch(orNothing('organisations')),
  ])
  return { placeOf, ownerOf }
}

/** Only an address of the public internet is anywhere. */
function readAddress(text: string) {
  if (isIP(text) === 0) return undefined
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return undefined
  const number = address.toByteArray().reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
  return { version: address.kind() === 'ipv4' ? (4 as const) : (6 as const), text: address.toString(), number }
}
