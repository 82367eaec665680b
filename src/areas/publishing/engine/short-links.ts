import { checkDestination } from '#areas/links/link/destination.ts'
import { type LinkPlace, type LinksByUrl, ownLength, type WantedLinks } from '#areas/links/link/link-making.ts'
import { hostsOf } from '#areas/links/link/own-hosts.ts'
import { shortUrl } from '#areas/links/link/short-url.ts'
import { linksIn, withLinks } from '#areas/links/link/text-links.ts'
import type { Surroundings } from '#kernel/surroundings.ts'
import type { MediaRef } from '#networks/connector/draft.ts'
import { type Content, type ContentMedia, commentProblems, contentProblems } from '#networks/content/content-check.ts'
import type { TakenSend } from './taken-send.ts'

/** The words of a send, and the address it shows; of a comment only the words. */
export interface Words {
  text: string
  url: string
}

export type Shorten = (wanted: WantedLinks) => Promise<LinksByUrl>

type World = Pick<Surroundings, 'publicUrl' | 'shortUrl'>

export const wordsOf = ({ kind, message, linkUrl, comment }: TakenSend): Words =>
  kind === 'post' ? { text: message, url: linkUrl } : { text: comment ?? '', url: '' }

/** Whether links may have been made for it: whoever finishes it asks only then. */
export const mayHaveLinks = (send: TakenSend) => {
  const { text, url } = wordsOf(send)
  return url !== '' || /https?:\/\//i.test(text)
}

/**
 * The words with short links in the place of addresses, the same on every try: what is decided here depends on the send and the
 * service's settings alone, and links that were made once stay as they are.
 */
export async function shortened(
  world: World,
  send: TakenSend,
  media: readonly MediaRef[],
  shorten: Shorten,
): Promise<Words> {
  const words = wordsOf(send)
  if (!mayHaveLinks(send)) return words
  const plan = planOf(world, send, words, media)
  if (!plan) return words
  const links = await shorten({ place: placeOf(send), ...plan })
  const base = world.shortUrl()
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
function planOf(world: World, send: TakenSend, words: Words, media: readonly MediaRef[]) {
  const own = hostsOf([world.publicUrl(), world.shortUrl()])
  const all = [...linksIn(words.text).map(({ url }) => url), words.url].filter((url) => url !== '')
  const allowed = [...new Set(all)].filter((url) => checkDestination(url, own) === undefined)
  const before = problemsWith(send, words, media)
  const fits = (urls: readonly string[], short: string) =>
    problemsWith(send, replaced(words, new Map(urls.map((url) => [url, short]))), media) <= before
  const base = world.shortUrl()
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

/** How many rules of the network the words break. */
function problemsWith({ kind, network, subject }: TakenSend, { text, url }: Words, media: readonly MediaRef[]): number {
  if (kind === 'comment') return commentProblems(network, text).length
  const content: Content = {
    ...{ text, media: media.map(asContent) },
    ...(subject && { title: subject }),
    ...(url && { link: { url } }),
  }
  return contentProblems(network, content).length
}

/** As much of a file as the length of a text can depend on. */
const asContent = ({ mime, bytes, name = '' }: MediaRef): ContentMedia => {
  return { type: mime.startsWith('video/') ? 'Video' : mime === 'application/pdf' ? 'PDF' : 'Image', name, mime, bytes }
}

const placeOf = ({ postId, credentialId, campaignId, messageId, network }: TakenSend): LinkPlace => {
  return { postId, credentialId, campaignId, messageId, network }
}
