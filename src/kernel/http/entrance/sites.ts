import type { IncomingMessage } from 'node:http'

/** What a browser says of where a request comes from. Programs that are no browsers say nothing. */
export interface Sites {
  /** A browser says that another site makes it send this. */
  isElsewhere(request: IncomingMessage): boolean
  /** Another site wants something for a page of its own: anything but that a person goes there. */
  isEmbedding(request: IncomingMessage): boolean
  /** A browser says that a page of the service itself sends this. */
  isOwn(request: IncomingMessage): boolean
}

export function openSites(publicUrl: () => string): Sites {
  const isOurs = (origin: string, { headers: { host = '' } }: IncomingMessage) =>
    origin === `https://${host}` || origin === `http://${host}` || origin === originOf(publicUrl())
  const isElsewhere = (request: IncomingMessage) => {
    const { 'sec-fetch-site': site, origin } = request.headers
    // The browser's own word: no page can change it, and proxies that rename the host leave it alone.
    if (site === 'same-origin') return false
    return isOther(site) || (origin !== undefined && !isOurs(origin, request))
  }
  return {
    isElsewhere,
    isEmbedding(request) {
      const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': use, upgrade } = request.headers
      // Of a socket browsers tell the origin alone.
      if (upgrade !== undefined) return isElsewhere(request)
      return isOther(site) && !(mode === 'navigate' && use === 'document')
    },
    isOwn(request) {
      const { 'sec-fetch-site': site, origin } = request.headers
      return site === undefined ? origin !== undefined && isOurs(origin, request) : site === 'same-origin'
    },
  }
}

/** Another port of the same host is the same site, but not ours. */
const isOther = (site: string | string[] | undefined) => site === 'cross-site' || site === 'same-site'

let known = { url: '', origin: '' }

function originOf(url: string): string {
  if (known.url !== url) known = { url, origin: url === '' ? '' : new URL(url).origin }
  return known.origin
}
