import {
  type LinksByUrl,
  type LinkTarget,
  linksOf,
  linksWithin,
  ownLength,
  type RequestedLinks,
} from '#areas/links/link/link-create.ts'
import { checkDestination, hostsOf, shortUrl } from '#areas/links/link/link-url.ts'
import { linksIn, withLinks } from '#areas/links/link/text-links.ts'
import { mediaRefs } from '#areas/media/rendition/media-refs.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Send, Sendable, SendTask } from '#areas/sending/sendable.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Installation } from '#kernel/installation.ts'
import { createBatcher } from '#kernel/jobs/batcher.ts'
import type { Audience, Draft, MediaRef } from '#networks/connector/draft.ts'
import { type Content, type ContentMedia, contentProblems } from '#networks/content/content-check.ts'

/** Content published on a profile, before links are shortened; used for posts and advocates' shares. */
export interface PublishedContent {
  message: string
  subject: string
  linkUrl: string
  linkTitle: string
  description: string
  imageUrl: string
  mediaIds: string[]
  audience: Audience | null
  /** The network's id of the post that is reshared; empty if none. */
  repostOf: string
}

interface PublisherOptions<Content> {
  /** The entity that clicks on its links are attributed to. */
  linkPlaceOf(send: Send, content: Content): LinkTarget
  /** Whether a post found on the network belongs to another send with the same text. */
  belongsToOther(db: Db, send: Send, remoteId: string): Promise<boolean>
}

/** Implements publishing, and finding a post whose response was lost. */
export const contentPublisher = <Content extends PublishedContent>(
  installation: ProfileInstallation,
  makeLinks: LinkMaker,
  { linkPlaceOf, belongsToOther }: PublisherOptions<Content>,
): Pick<Sendable<Content>, 'perform' | 'findSent'> => ({
  async perform(task, save, progress) {
    const { send, content, connector, actor } = task
    const target = linkPlaceOf(send, content)
    // Files are verified before the first upload.
    const draft = await buildDraft(installation, task, {
      place: target,
      shorten: makeLinks(send.accountId),
      whole: !progress,
    })
    return connector.publish(actor, draft, save, progress)
  },
  async findSent(task, since, progress) {
    const { send, content, connector, actor } = task
    const db = installation.database.forAccount(send.accountId)
    // Only links that exist: finding must not create any.
    const shorten: Shorten = ({ place }) => linksOf(db, send.accountId, place)
    const draft = await buildDraft(installation, task, { place: linkPlaceOf(send, content), shorten, whole: false })
    const found = await connector.findPost(actor, draft, since, progress)
    return found.state === 'found' && (await belongsToOther(db, send, found.remoteId)) ? { state: 'absent' } : found
  },
})

/** Builds the same draft at every attempt. With `whole`, damaged or missing files are refused. */
async function buildDraft(
  installation: ProfileInstallation,
  { send, content, connector, actor }: SendTask<PublishedContent>,
  { place, shorten, whole }: { place: LinkTarget; shorten: Shorten; whole: boolean },
): Promise<Draft> {
  const { subject: title, linkTitle, description, imageUrl, audience, mediaIds, repostOf: reshareOf } = content
  const media: MediaRef[] =
    mediaIds.length > 0
      ? await mediaRefs(installation, send.accountId, mediaIds, connector.limits(actor), { whole })
      : []
  const { text, url } = await shortenLinks(installation, shortenRequest(send, content, place, media), shorten)
  return {
    text,
    media,
    ...(title && { title }),
    ...(url && { link: { url, title: linkTitle, description, imageUrl } }),
    ...(audience && { audience }),
    ...(reshareOf && { reshareOf }),
  }
}

const shortenRequest = (
  send: Send,
  content: PublishedContent,
  target: LinkTarget,
  media: readonly MediaRef[],
): ShortenRequest => ({
  linked: { text: content.message, url: content.linkUrl },
  place: target,
  countProblems({ text, url }) {
    const draft: Content = {
      text,
      media: media.map(asContent),
      ...(content.subject && { title: content.subject }),
      ...(url && { link: { url } }),
      ...(content.repostOf && { reshareOf: content.repostOf }),
    }
    return contentProblems(send.network, draft).length
  },
})

/** The properties of a file that the limits on text may depend on. */
const asContent = ({ mime, bytes, name = '' }: MediaRef): ContentMedia => {
  return { type: mime.startsWith('video/') ? 'Video' : mime === 'application/pdf' ? 'PDF' : 'Image', name, mime, bytes }
}

/** A text with links, and the URL of the link preview. */
interface LinkedText {
  text: string
  url: string
}

export type Shorten = (wanted: RequestedLinks) => Promise<LinksByUrl>

/** A text to shorten the links of, and how many content rules of the network a variant of it would break. */
export interface ShortenRequest {
  linked: LinkedText
  place: LinkTarget
  countProblems(linked: LinkedText): number
}

type Addresses = Pick<Installation, 'publicUrl' | 'shortUrl'>

const mayHaveLinks = ({ text, url }: LinkedText) => url !== '' || /https?:\/\//i.test(text)

/** Replaces URLs with short links. Deterministic, so that every attempt sends the same text: links that exist are reused. */
export async function shortenLinks(
  addresses: Addresses,
  request: ShortenRequest,
  shorten: Shorten,
): Promise<LinkedText> {
  const { linked, place } = request
  if (!mayHaveLinks(linked)) return linked
  const chosen = chooseUrls(addresses, request)
  if (!chosen) return linked
  const links = await shorten({ place, ...chosen })
  const base = addresses.shortUrl()
  const replacements = chosen.urls.flatMap((url) => {
    const link = links.get(url)
    return link ? [[url, shortUrl(base, link)] as const] : []
  })
  return replaceUrls(linked, new Map(replacements))
}

/**
 * Chooses the URLs to shorten. A short link can be longer than the original: if the text would exceed a limit of the network, only the preview
 * URL is shortened, or none.
 */
function chooseUrls(addresses: Addresses, { linked, countProblems }: ShortenRequest) {
  const own = hostsOf([addresses.publicUrl(), addresses.shortUrl()])
  const all = [...linksIn(linked.text).map(({ url }) => url), linked.url].filter((url) => url !== '')
  const allowed = [...new Set(all)].filter((url) => checkDestination(url, own) === undefined)
  const fits = (urls: readonly string[], short: string) => {
    const problems = countProblems(replaceUrls(linked, new Map(urls.map((url) => [url, short]))))
    return problems === 0 || problems <= countProblems(linked)
  }
  const base = addresses.shortUrl()
  const ownShort = shortUrl(base, { host: '', hash: 'xxxxxxxx' })
  const urls = [allowed, allowed.filter((url) => url === linked.url)].find((some) => fits(some, ownShort)) ?? []
  if (urls.length === 0) return undefined
  const longest = fits(urls, longestShort) ? longestShort.length : ownLength(base)
  return { urls, longest }
}

/** A host name has at most 253 characters. */
const longestShort = shortUrl('', { host: `${'x'.repeat(249)}.com`, hash: 'xxxxxxxx' })

const replaceUrls = ({ text, url }: LinkedText, shorts: ReadonlyMap<string, string>): LinkedText => ({
  text: withLinks(text, shorts),
  url: shorts.get(url) ?? url,
})

/** Returns the short links of an account's sends, creating missing ones. */
export type LinkMaker = (accountId: string) => Shorten

/** Creates links of many sends in one batch. Posts and shares need one each, since their links have different keys. */
export function createLinkMaker(installation: ProfileInstallation): LinkMaker {
  const link = createBatcher<RequestedLinks, LinksByUrl>({
    maxSize: 64,
    maxDelay: 10,
    run: (accountId, wanted) => linksWithin(installation, accountId, installation.clock.now(), wanted),
  })
  return (accountId) => (wanted) => link(accountId, wanted)
}
