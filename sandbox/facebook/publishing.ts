import { brokenRule, joined, keepMedia, mediaOf, pull, received } from '../behaviour/media.ts'
import { ownProfile } from '../graph/access.ts'
import { badParameter, graphProblem, parseFields, refuse, select, unknownObject } from '../graph/responses.ts'
import { type Call, listOf, numberOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { addressOf } from '../http/router.ts'
import { limits } from '../manifests.ts'
import { minute } from '../state/clock.ts'
import { graphId } from '../state/ids.ts'
import { record } from '../state/items.ts'
import type { Item, Media, Profile, Upload } from '../state/rows.ts'

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
  return feedResponse(call, publish(call, page, message, photos, link))
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

function publish(call: Call, page: Profile, text: string, media: Media[], url?: string, alias?: string): Item {
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

function checkText(text: string) {
  if (text.length > limits.Facebook.text)
    badParameter(`param message must be at most ${limits.Facebook.text} characters`)
}

function checkMedia(media: Media, kind: string) {
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

function feedResponse(call: Call, post: Item): Answer {
  const fields = textOf(call, 'fields')
  return json(fields === undefined ? { id: post.id } : select(postShape(call, post), parseFields(fields)))
}

/** What one transfer call holds: larger pieces for larger files. */
const chunkSize = (size = 0) => (size > 64 * MiB ? 20 * MiB : 4 * MiB)
const MiB = 1024 * 1024

/** POST /{page}/videos: in one call, or start, transfer, finish. */
export async function uploadVideo(call: Call): Promise<Answer> {
  const page = ownProfile(call, 'Facebook', call.params.id ?? '', 'pages_manage_posts')
  const phase = textOf(call, 'upload_phase')
  if (phase === 'start') return startUpload(call, page)
  if (phase === 'transfer') return transferChunk(call)
  if (phase === 'finish') return finishUpload(call, page)
  const url = textOf(call, 'file_url')
  const bytes = call.files.source?.bytes ?? (url === undefined ? undefined : await pull(url))
  if (!bytes) refuse({ code: 389, message: '(#389) Unable to fetch video file from URL.', type: 'OAuthException' })
  return json({ id: publishVideo(call, page, graphId(), bytes).videoId })
}

/** POST /{page}/video_reels: start gives an address for the bytes, finish publishes. */
export function uploadReel(call: Call): Answer {
  const page = ownProfile(call, 'Facebook', call.params.id ?? '', 'pages_manage_posts')
  if (textOf(call, 'upload_phase') === 'start') {
    const upload = openUpload(call, page)
    return json({
      video_id: upload.id,
      upload_url: `${addressOf(call, 'rupload.facebook.com')}/video-upload/v26.0/${upload.id}`,
    })
  }
  const upload = uploadOf(call, textOf(call, 'video_id'))
  const { videoId, post } = publishVideo(call, page, upload.id, joined(upload))
  return json({ success: true, post_id: post.id.split('_')[1], video_id: videoId })
}

/** POST to the address of a reel: the bytes from `offset` on, or the address where they can be fetched. */
export async function receiveReel(call: Call): Promise<Answer> {
  const upload = uploadOf(call, call.params.video)
  const url = call.headers.file_url
  const bytes = typeof url === 'string' ? await pull(url) : call.raw
  if (!bytes?.length) refuse({ code: 389, message: '(#389) Unable to fetch video file.', type: 'OAuthException' })
  upload.parts.set(Number(call.headers.offset ?? 0), bytes)
  return json({ success: true })
}

function startUpload(call: Call, page: Profile): Answer {
  const upload = openUpload(call, page)
  upload.size = numberOf(call, 'file_size')
  if (upload.size === undefined) badParameter('file_size is required')
  return json({ upload_session_id: upload.id, video_id: upload.extra.video, ...offsets(upload) })
}

function transferChunk(call: Call): Answer {
  const upload = uploadOf(call, textOf(call, 'upload_session_id'))
  const chunk = call.files.video_file_chunk?.bytes
  const offset = numberOf(call, 'start_offset')
  if (!chunk || offset !== received(upload)) {
    refuse({
      code: 6001,
      subcode: 1363037,
      message: `The next chunk must start at ${received(upload)}.`,
      type: 'OAuthException',
      details: offsets(upload),
    })
  }
  // Whether the real one takes less than it asked for is not known; nothing may depend on it.
  if (offset + chunk.length !== Number(offsets(upload).end_offset)) {
    refuse({
      code: 6001,
      subcode: 1363037,
      message: `The chunk must end at ${offsets(upload).end_offset}.`,
      type: 'OAuthException',
      details: offsets(upload),
    })
  }
  upload.parts.set(offset, chunk)
  return json(offsets(upload))
}

function finishUpload(call: Call, page: Profile): Answer {
  const upload = uploadOf(call, textOf(call, 'upload_session_id'))
  if (received(upload) !== upload.size) {
    refuse({ code: 6000, message: '(#6000) The upload is not complete.', type: 'OAuthException' })
  }
  publishVideo(call, page, String(upload.extra.video), joined(upload))
  call.world.uploads.delete(upload.id)
  return json({ success: true })
}

function publishVideo(call: Call, page: Profile, videoId: string, bytes: Buffer) {
  // A repeated finish finds the video already there.
  const known = call.world.items.live('Facebook', videoId)
  if (known) return { videoId, post: known }
  const text = textOf(call, 'description') ?? ''
  checkText(text)
  const media = keepMedia(call.world, { network: 'Facebook', id: videoId, profile: page.id, bytes })
  checkMedia(media, 'video/')
  return { videoId, post: publish(call, page, text, [media], undefined, videoId) }
}

function openUpload(call: Call, page: Profile): Upload {
  const id = graphId()
  const upload: Upload = { id, network: 'Facebook', profile: page.id, parts: new Map(), extra: { video: graphId() } }
  call.world.uploads.set(id, upload)
  return upload
}

function uploadOf(call: Call, id: string | undefined): Upload {
  const upload = call.world.uploads.get(id ?? '')
  if (upload?.network !== 'Facebook') {
    if (id && mediaOf(call.world, 'Facebook', id)) badParameter('The upload is already finished')
    unknownObject(id ?? '')
  }
  return upload
}

function offsets(upload: Upload) {
  const from = received(upload)
  return { start_offset: String(from), end_offset: String(Math.min(upload.size ?? 0, from + chunkSize(upload.size))) }
}
