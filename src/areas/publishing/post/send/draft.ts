import type { LinkPlace } from '#areas/links/link/link-making.ts'
import { mediaRefs } from '#areas/media/rendition/media-refs.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Order, Send } from '#areas/sending/sendable.ts'
import type { Audience, Draft, MediaRef } from '#networks/connector/draft.ts'
import { type Content, type ContentMedia, contentProblems } from '#networks/content/content-check.ts'
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

/** What the network is given, the same on every try. With `whole` files that are damaged or gone are refused. */
export async function draftOf(
  installation: ProfileInstallation,
  { send, content: said, connector, actor }: Order<Said>,
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
