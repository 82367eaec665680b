import { checkDestination } from '#areas/links/link/destination.ts'
import { type LinkPlace, type LinksByUrl, ownLength, type WantedLinks } from '#areas/links/link/link-making.ts'
import { hostsOf } from '#areas/links/link/own-hosts.ts'
import { shortUrl } from '#areas/links/link/short-url.ts'
import { linksIn, withLinks } from '#areas/links/link/text-links.ts'
import type { Installation } from '#kernel/installation.ts'

/** The words of a send, and the address it shows; of a comment only the words. */
export interface Words {
  text: string
  url: string
}

export type Shorten = (wanted: WantedLinks) => Promise<LinksByUrl>

/** What is said where, and how many rules of the network some words would break there. */
export interface Saying {
  words: Words
  place: LinkPlace
  problemsWith(words: Words): number
}

type Addresses = Pick<Installation, 'publicUrl' | 'shortUrl'>

/** Most have none. */
const mayHaveLinks = ({ text, url }: Words) => url !== '' || /https?:\/\//i.test(text)

/**
 * The words with short links in the place of addresses, the same on every try: what is decided here depends on what is said and the
 * service's settings alone, and links that were made once stay as they are.
 */
export async function shortened(addresses: Addresses, saying: Saying, shorten: Shorten): Promise<Words> {
  const { words, place } = saying
  if (!mayHaveLinks(words)) return words
  const plan = planOf(addresses, saying)
  if (!plan) return words
  const links = await shorten({ place, ...plan })
  const base = addresses.shortUrl()
  const wanted = plan.urls.flatMap((url) => {
    const link = links.get(url)
    return link ? [[url, shortUrl(base, link)] as const] : []
  })
  return replaced(words, new Map(wanted))
}

/**
 * Which addresses get a short link. A short one may be longer than what somebody wrote: where the text would then be too long
 * for the network, the addresses in it stay as they are, or else all of them.
 */
function planOf(addresses: Addresses, { words, problemsWith }: Saying) {
  const own = hostsOf([addresses.publicUrl(), addresses.shortUrl()])
  const all = [...linksIn(words.text).map(({ url }) => url), words.url].filter((url) => url !== '')
  const allowed = [...new Set(all)].filter((url) => checkDestination(url, own) === undefined)
  const fits = (urls: readonly string[], short: string) => {
    const problems = problemsWith(replaced(words, new Map(urls.map((url) => [url, short]))))
    return problems === 0 || problems <= problemsWith(words)
  }
  const base = addresses.shortUrl()
  const ownShort = shortUrl(base, { host: '', hash: 'xxxxxxxx' })
  const urls = [allowed, allowed.filter((url) => url === words.url)].find((some) => fits(some, ownShort)) ?? []
  if (urls.length === 0) return undefined
  const longest = fits(urls, longestShort) ? longestShort.length : ownLength(base)
  return { urls, longest }
}

/** A name has 253 signs at most. */
const longestShort = shortUrl('', { host: `${'x'.repeat(249)}.com`, hash: 'xxxxxxxx' })

const replaced = ({ text, url }: Words, shorts: ReadonlyMap<string, string>): Words => ({
  text: withLinks(text, shorts),
  url: shorts.get(url) ?? url,
})
