import { brokenRule } from '../behaviour/limits.ts'
import { keepMedia, mediaOf, pull } from '../behaviour/media.ts'
import { ownProfile } from '../graph/access.ts'
import { badParameter, graphProblem, refuse } from '../graph/refusals.ts'
import { parseFields, select } from '../graph/selection.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { listOf, textOf } from '../http/fields.ts'
import { limits } from '../manifests.ts'
import { minute } from '../state/clock.ts'
import { record } from '../state/deeds.ts'
import { graphId } from '../state/ids.ts'
import type { Item, Media, Profile } from '../state/rows.ts'
import { postPushed } from './push.ts'
import { postShape, postsOf } from './shapes.ts'

/** POST /{page}/feed: text, a link, or photos that were uploaded before. */
export function publishFeed(call: Call): Answer {
  const page = ownProfile(call, 'Facebook', call.params.id ?? '', 'pages_manage_posts')
  const message = textOf(call, 'message') ?? ''
  const link = textOf(call, 'link')
  const photos = listOf(call, 'attached_media').map((entry) => {
    const id = textOf(entry as object, 'media_fbid') ?? ''
    const media = mediaOf(call.world, 'Facebook', id)
    if (media?.profile !== page.id) badParameter(`attached_media: ${id} is not a photo of this page`)
    return media
  })
  if (!message && !link && !photos.length) badParameter('The post has neither message nor link nor media')
  if (link !== undefined && !URL.canParse(link)) {
    refuse({ code: 100, subcode: 1609005, message: 'The link could not be read.', type: 'OAuthException' })
  }
  if (textOf(call, 'published') === 'false') {
    badParameter('The sandbox publishes at once; unpublished posts are not served')
  }
  if (photos.length > limits.Facebook.images) badParameter(`At most ${limits.Facebook.images} photos fit in a post`)
  checkText(message)
  if (!photos.length) refuseRepeat(call, page, message, link)
  return answer(call, publish(call, page, message, photos, link))
}

/** POST /{page}/photos: from an address or from bytes; unpublished ones wait for a post. */
export async function uploadPhoto(call: Call): Promise<Answer> {
  const page = ownProfile(call, 'Facebook', call.params.id ?? '', 'pages_manage_posts')
  const url = textOf(call, 'url')
  const bytes = call.files.source?.bytes ?? (url === undefined ? undefined : await pull(url))
  if (!bytes) {
    refuse({ code: 324, subcode: 2069019, message: '(#324) Missing or invalid image file', type: 'OAuthException' })
  }
  const media = keepMedia(call.world, { network: 'Facebook', id: graphId(), profile: page.id, bytes })
  checkMedia(media, 'image/')
  if (textOf(call, 'published') === 'false') return json({ id: media.id })
  const text = textOf(call, 'message') ?? textOf(call, 'caption') ?? ''
  const post = publish(call, page, text, [media])
  return json({ id: media.id, post_id: post.id })
}

export function publish(call: Call, page: Profile, text: string, media: Media[], url?: string, alias?: string): Item {
  const post = record(call.world, page, {
    id: `${page.id}_${graphId()}`,
    kind: 'post',
    text,
    media: media.map(({ id }) => id),
    ...(url === undefined ? {} : { link: { url } }),
    ...(alias === undefined ? {} : { alias }),
  })
  postPushed(call.world, page, post)
  return post
}

export function checkText(text: string) {
  if (text.length > limits.Facebook.text)
    badParameter(`param message must be at most ${limits.Facebook.text} characters`)
}

export function checkMedia(media: Media, kind: string) {
  const broken = media.mime.startsWith(kind) ? brokenRule('Facebook', media) : 'kind'
  if (!broken) return
  const [code, subcode] = kind === 'image/' ? [100, 1366046] : [352, 1363024]
  refuse({ code, subcode, message: `(#${code}) The file is refused because of its ${broken}.`, type: 'OAuthException' })
}

export const duplicate = graphProblem({
  code: 506,
  subcode: 1455006,
  message: '(#506) Duplicate status message',
  type: 'OAuthException',
  userMessage: 'This is the same as the last post.',
})

/** Facebook minds only the same words twice in a row. */
function refuseRepeat(call: Call, page: Profile, text: string, url: string | undefined) {
  const last = postsOf(call, page)[0]
  const isRecent = last && last.at > call.world.clock.now() - 10 * minute
  if (isRecent && !last.media.length && last.text === text && last.link?.url === url) {
    refuse({ code: 506, subcode: 1455006, message: '(#506) Duplicate status message', type: 'OAuthException' })
  }
}

function answer(call: Call, post: Item): Answer {
  const fields = textOf(call, 'fields')
  return json(fields === undefined ? { id: post.id } : select(postShape(call, post), parseFields(fields)))
}
