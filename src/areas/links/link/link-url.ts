import { randomInt } from 'node:crypto'
import { isIP } from 'node:net'

const signs = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const hashLength = 8

/** What stands at the end of a short link: eight random signs of 62, so that nobody can guess others from one. */
export const newHash = () => Array.from({ length: hashLength }, () => signs[randomInt(signs.length)]).join('')

/** Whether the text has the form of a hash; whether such a link exists is another question. */
export const isHash = (text: string) => /^[0-9A-Za-z]{8}$/.test(text)

const values = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, signs.indexOf(String.fromCharCode(code))))

/** The hash as a number of 48 bits. */
export function hashNumber(hash: string): number {
  let number = 0
  for (let at = 0; at < hashLength; at++) number = number * signs.length + (values[hash.charCodeAt(at)] as number)
  return number
}

/**
 * How an address of the service is known to itself: by its name, whatever the port, or where it has none by address and port, since
 * a machine may run more than this.
 */
export function hostsOf(urls: readonly string[]): Set<string> {
  return new Set(urls.map((url) => new URL(url)).map((url) => (isNamed(url.hostname) ? plainName(url) : url.host)))
}

const isOwnHost = (url: URL, own: ReadonlySet<string>) => own.has(plainName(url)) || own.has(url.host)

/** Without the dot that may stand at the end of a full name. */
export const plainName = ({ hostname }: URL) => hostname.replace(/\.$/, '')

const isNamed = (hostname: string) => hostname !== 'localhost' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0

/** The address people see: under the account's own domain, or under the service's (`base`, without a slash at its end). */
export const shortUrl = (base: string, { host, hash }: { host: string; hash: string }): string =>
  `${host === '' ? base : `https://${host}`}/${hash}`

export const longestDestination = 2048

/** Why no short link may lead there, as a sentence; nothing when one may. */
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
  // The parser would quietly drop these.
  if (/[\s\p{Cc}\p{Cf}]/u.test(text) || !/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(text)) return schemeOnly(text)
  return attempt(text)
}

/** `javascript:…` and its like are no mistakes in writing: they are told what is allowed. */
const schemeOnly = (text: string) => (/^(?!https?:)[a-z][a-z0-9+.-]*:\S/i.test(text) ? attempt(text) : undefined)

/** Not URL.canParse, which in Node 20 turns away accented letters once it is optimised. */
function attempt(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/**
 * Where a visitor is sent: the address with the parameters it does not have already. Its own query and fragment stay as they are;
 * what no header may carry is percent-encoded.
 */
export function finalUrl(longUrl: string, params: Record<string, string>): string {
  const url = new URL(longUrl)
  const own = url.searchParams
  const added = Object.entries(params)
    .filter(([name, value]) => value !== '' && !own.has(name))
    .sort(([one], [other]) => place(one) - place(other))
  if (added.length === 0) return url.href
  const query = added.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  url.search = url.search === '' ? query : `${url.search}&${query}`
  return url.href
}

/** As people are used to see them, whatever order they were kept in. */
const usual = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']
const place = (name: string) => usual.indexOf(name) >>> 0

/** Everything the address tells its destination. Of a parameter that is there twice, the last. */
export const paramsOf = (url: string): Record<string, string> => Object.fromEntries(new URL(url).searchParams)
