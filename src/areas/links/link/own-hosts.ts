import { isIP } from 'node:net'

/**
 * How an address of the service is known to itself: by its name, whatever the port, or where it has none by address and port, since
 * a machine may run more than this.
 */
export function hostsOf(urls: readonly string[]): Set<string> {
  return new Set(urls.map((url) => new URL(url)).map((url) => (isNamed(url.hostname) ? plainName(url) : url.host)))
}

export const isOwnHost = (url: URL, own: ReadonlySet<string>) => own.has(plainName(url)) || own.has(url.host)

/** Without the dot that may stand at the end of a full name. */
export const plainName = ({ hostname }: URL) => hostname.replace(/\.$/, '')

const isNamed = (hostname: string) => hostname !== 'localhost' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0
