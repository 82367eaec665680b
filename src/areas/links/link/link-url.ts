import { randomInt } from 'node:crypto'
import { isIP } from 'node:net'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const hashLength = 8

/** Hash of a short link: eight random characters of 62, so that others can't be guessed. */
export const newHash = () => Array.from({ length: hashLength }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Whether the text has the format of a hash. */
export const isHash = (text: string) => /^[0-9A-Za-z]{8}$/.test(text)

const values = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, alphabet.indexOf(String.fromCharCode(code))))

/** The hash as a 48-bit number. */
export function hashNumber(hash: string): number {
  let number = 0
  for (let at = 0; at < hashLength; at++) number = number * alphabet.length + (values[hash.charCodeAt(at)] as number)
  return number
}

/**
 * Identifies the service's own hosts: by name regardless of port, or by IP address and port, since a machine may run other
 * services.
 */
export function hostsOf(urls: readonly string[]): Set<string> {
  return new Set(urls.map((url) => new URL(url)).map((url) => (isNamed(url.hostname) ? plainName(url) : url.host)))
}

const isOwnHost = (url: URL, own: ReadonlySet<string>) => own.has(plainName(url)) || own.has(url.host)

/** Without a trailing dot. */
export const plainName = ({ hostname }: URL) => hostname.replace(/\.$/, '')

const isNamed = (hostname: string) => hostname !== 'localhost' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0

/** The short URL: under the account's own domain, or under the service's (`base`, without a trailing slash). */
export const shortUrl = (base: string, { host, hash }: { host: string; hash: string }): string =>
  `${host === '' ? base : `https://${host}`}/${hash}`

export const longestDestination = 2048

/** Why a URL can't be a destination, as a sentence; undefined if it can. */
export function checkDestination(text: string, ownHosts: ReadonlySet<string>): string | undefined {
  if (text.length > longestDestination)
    return `A short link leads to at most ${longestDestination} characters; this address has ${text.length}.`
  const url = parsed(text)
  if (!url) return 'This is not a complete address; write it as https://example.com/page.'
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return 'A short link leads to addresses that start with http:// or https:// only.'
  if (url.username !== '' || url.password !== '' || /^https?:\/*[^/?#]*@/i.test(text))
    return 'The address carries a user name or password; take that out of it.'
  if (isOwnHost(url, ownHosts))
    return `${url.host} is an address of this service: a short link to it could lead in circles. Use the page it is to end at.`
  return undefined
}

function parsed(text: string): URL | undefined {
  // The parser would silently drop these.
  if (/[\s\p{Cc}\p{Cf}]/u.test(text) || !/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(text)) return schemeOnly(text)
  return attempt(text)
}

/** `javascript:…` and similar get the list of allowed schemes. */
const schemeOnly = (text: string) => (/^(?!https?:)[a-z][a-z0-9+.-]*:\S/i.test(text) ? attempt(text) : undefined)

/** Not URL.canParse, which rejects accented letters in Node 20 once it is optimised. */
function attempt(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/**
 * Redirect target: the destination with missing parameters added. Its own query and fragment stay unchanged; characters not
 * allowed in headers are percent-encoded.
 */
export function finalUrl(longUrl: string, params: Record<string, string>): string {
  const url = new URL(longUrl)
  const own = url.searchParams
  const added = Object.entries(params)
    .filter(([name, value]) => value !== '' && !own.has(name))
    .sort(([one], [other]) => parameterOrder(one) - parameterOrder(other))
  if (added.length === 0) return url.href
  const query = added.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  url.search = url.search === '' ? query : `${url.search}&${query}`
  return url.href
}

/** In the usual order, independent of storage. */
const utmParameters = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']
const parameterOrder = (name: string) => utmParameters.indexOf(name) >>> 0

/** Query parameters of a URL. Of duplicates the last. */
export const paramsOf = (url: string): Record<string, string> => Object.fromEntries(new URL(url).searchParams)
