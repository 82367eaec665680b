import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const pack = promisify(gzip)

/** What is smaller travels as fast as it is. */
const worthPacking = 8 * 1024

/** Whether a client takes gzipped answers. */
export const takesGzip = (accepts: string | undefined) =>
  accepts?.includes('gzip') === true && !accepts.includes('gzip;q=0')

/** An answer for a browser, packed where it is large and the browser takes it so; outside the thread that all share. */
export async function packed(body: string, accepts: string | undefined): Promise<Buffer | undefined> {
  if (body.length < worthPacking || !takesGzip(accepts)) return undefined
  // The first level packs a calendar of five thousand posts to a twentieth in a few milliseconds; more gains little.
  return pack(body, { level: 1 })
}
