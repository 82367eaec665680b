import { type LinkPlace, linksOf } from '#areas/links/link/link-making.ts'
import { mediaRefs } from '#areas/media/rendition/media-refs.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Send, Sendable, SendTask } from '#areas/sending/sendable.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Audience, Draft, MediaRef } from '#networks/connector/draft.ts'
import { type Content, type ContentMedia, contentProblems } from '#networks/content/content-check.ts'
import type { MakeLinks } from './link-batches.ts'
import { type Saying, type Shorten, shortened } from './short-links.ts'

/** What is said on a profile, before its addresses become short links. */
export interface Said {
  message: string
  subject: string
  linkUrl: string
  linkTitle: string
  description: string
  imageUrl: string
  mediaIds: string[]
  audience: Audience | null
  /** What is shared again, by its id at the network; empty where it is nothing. */
  repostOf: string
}

interface Publishing<Content> {
  /** What its links count for. */
  placeOf(send: Send, content: Content): LinkPlace
  /** Whether what was found is another's: of two with the same text each is found once. */
  isAnothers(db: Db, send: Send, remoteId: string): Promise<boolean>
}

/** How what is said on a profile is published, and searched for where the answer got lost. */
export const published = <Content extends Said>(
  installation: ProfileInstallation,
  makeLinks: MakeLinks,
  { placeOf, isAnothers }: Publishing<Content>,
): Pick<Sendable<Content>, 'perform' | 'find'> => ({
  async perform(order, save, progress) {
    const { send, content, connector, actor } = order
    const place = placeOf(send, content)
    // As long as nothing has gone to the network, files are checked before they do.
    const draft = await draftOf(installation, order, { place, shorten: makeLinks(send.accountId), whole: !progress })
    return connector.publish(actor, draft, save, progress)
  },
  async find(order, since, progress) {
    const { send, content, connector, actor } = order
    const db = installation.database.forAccount(send.accountId)
    // Who searches only uses links that were made.
    const shorten: Shorten = ({ place }) => linksOf(db, send.accountId, place)
    const draft = await draftOf(installation, order, { place: placeOf(send, content), shorten, whole: false })
    const found = await connector.findPost(actor, draft, since, progress)
    return found.state === 'found' && (await isAnothers(db, send, found.remoteId)) ? { state: 'absent' } : found
  },
})

/** What the network is given, the same on every try. With `whole` files that are damaged or gone are refused. */
async function draftOf(
  installation: ProfileInstallation,
  { send, content: said, connector, actor }: SendTask<Said>,
  { place, shorten, whole }: { place: LinkPlace; shorten: Shorten; whole: boolean },
): Promise<Draft> {
  const { subject: title, linkTitle, description, imageUrl, audience, mediaIds, repostOf: reshareOf } = said
  const media: MediaRef[] =
    mediaIds.length > 0
      ? await mediaRefs(installation, send.accountId, mediaIds, connector.limits(actor), { whole })
      : []
  const { text, url } = await shortened(installation, sayingOf(send, said, place, media), shorten)
  return {
    text,
    media,
    ...(title && { title }),
    ...(url && { link: { url, title: linkTitle, description, imageUrl } }),
    ...(audience && { audience }),
    ...(reshareOf && { reshareOf }),
  }
}

const sayingOf = (send: Send, said: Said, place: LinkPlace, media: readonly MediaRef[]): Saying => ({
  words: { text: said.message, url: said.linkUrl },
  place,
  problemsWith({ text, url }) {
    const wanted: Content = {
      ...{ text, media: media.map(asContent) },
      ...(said.subject && { title: said.subject }),
      ...(url && { link: { url } }),
      ...(said.repostOf && { reshareOf: said.repostOf }),
    }
    return contentProblems(send.network, wanted).length
  },
})

/** As much of a file as the length of a text can depend on. */
const asContent = ({ mime, bytes, name = '' }: MediaRef): ContentMedia => {
  return { type: mime.startsWith('video/') ? 'Video' : mime === 'application/pdf' ? 'PDF' : 'Image', name, mime, bytes }
}
