import { isOwnHost } from './own-hosts.ts'

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
