import { assembleParts, download, mediaOf, receivedBytes, storeMedia, violatedRule } from '../behaviour/media.ts'
import { ownProfile } from '../graph/access.ts'
import { badParameter, graphProblem, parseFields, refuse, select, unknownObject } from '../graph/responses.ts'
import { type ApiRequest, listOf, numberOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { baseUrlOf } from '../http/router.ts'
import { limits } from '../manifests.ts'
import { minute } from '../state/clock.ts'
import { graphId } from '../state/ids.ts'
import { recordAction } from '../state/items.ts'
import type { Item, Media, Profile, Upload } from '../state/rows.ts'
import { pushPost } from './push.ts'
import { postShape, postsOf } from './shapes.ts'

/** POST /{page}/feed: text, a link, or previously uploaded photos. */
export function publishFeed(request: ApiRequest): ApiResponse {
  const page = ownProfile(request, 'Facebook', request.params.id ?? '', 'pages_manage_posts')
  const message = textOf(request, 'message') ?? ''
  const link = textOf(request, 'link')
  const photos = listOf(request, 'attached_media').map((entry) => {
    const id = textOf(entry as object, 'media_fbid') ?? ''
    const media = mediaOf(request.state, 'Facebook', id)
    if (media?.profile !== page.id) badParameter(`attached_media: ${id} is not a photo of this page`)
    return media
  })
  if (!message && !link && !photos.length) badParameter('The post has neither message nor link nor media')
  if (link !== undefined && !URL.canParse(link)) {
    refuse({ code: 100, subcode: 1609005, message: 'The link could not be read.', type: 'OAuthException' })
  }
  if (textOf(request, 'published') === 'false') {
    badParameter('The sandbox publishes at once; unpublished posts are not served')
  }
  if (photos.length > limits.Facebook.images) badParameter(`At most ${limits.Facebook.images} photos fit in a post`)
  checkText(message)
  if (!photos.length) refuseDuplicate(request, page, message, link)
  return feedResponse(request, publish(request, page, message, photos, link))
}

/** POST /{page}/photos: from a URL or from bytes; unpublished photos can be attached to a post. */
export async function uploadPhoto(request: ApiRequest): Promise<ApiResponse> {
  const page = ownProfile(request, 'Facebook', request.params.id ?? '', 'pages_manage_posts')
  const url = textOf(request, 'url')
  const bytes = request.files.source?.bytes ?? (url === undefined ? undefined : await download(url))
  if (!bytes) {
    refuse({ code: 324, subcode: 2069019, message: '(#324) Missing or invalid image file', type: 'OAuthException' })
  }
  const media = storeMedia(request.state, { network: 'Facebook', id: graphId(), profile: page.id, bytes })
  checkMedia(media, 'image/')
  if (textOf(request, 'published') === 'false') return json({ id: media.id })
  const text = textOf(request, 'message') ?? textOf(request, 'caption') ?? ''
  const post = publish(request, page, text, [media])
  return json({ id: media.id, post_id: post.id })
}

function publish(request: ApiRequest, page: Profile, text: string, media: Media[], url?: string, alias?: string): Item {
  const post = recordAction(request.state, page, {
    id: `${page.id}_${graphId()}`,
    kind: 'post',
    text,
    media: media.map(({ id }) => id),
    ...(url === undefined ? {} : { link: { url } }),
    ...(alias === undefined ? {} : { alias }),
  })
  pushPost(request.state, page, post)
  return post
}

function checkText(text: string) {
  if (text.length > limits.Facebook.text)
    badParameter(`param message must be at most ${limits.Facebook.text} characters`)
}

function checkMedia(media: Media, kind: string) {
  const broken = media.mime.startsWith(kind) ? violatedRule('Facebook', media) : 'kind'
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

/** Facebook rejects only consecutive duplicates. */
function refuseDuplicate(request: ApiRequest, page: Profile, text: string, url: string | undefined) {
  const last = postsOf(request, page)[0]
  const isRecent = last && last.at > request.state.clock.now() - 10 * minute
  if (isRecent && !last.media.length && last.text === text && last.link?.url === url) {
    refuse({ code: 506, subcode: 1455006, message: '(#506) Duplicate status message', type: 'OAuthException' })
  }
}

function feedResponse(request: ApiRequest, post: Item): ApiResponse {
  const fields = textOf(request, 'fields')
  return json(fields === undefined ? { id: post.id } : select(postShape(request, post), parseFields(fields)))
}

/** Chunk size of a transfer: larger for larger files. */
const chunkSize = (size = 0) => (size > 64 * MiB ? 20 * MiB : 4 * MiB)
const MiB = 1024 * 1024

/** POST /{page}/videos: in one request, or as start, transfer, finish. */
export async function uploadVideo(request: ApiRequest): Promise<ApiResponse> {
  const page = ownProfile(request, 'Facebook', request.params.id ?? '', 'pages_manage_posts')
  const phase = textOf(request, 'upload_phase')
  if (phase === 'start') return startUpload(request, page)
  if (phase === 'transfer') return transferChunk(request)
  if (phase === 'finish') return finishUpload(request, page)
  const url = textOf(request, 'file_url')
  const bytes = request.files.source?.bytes ?? (url === undefined ? undefined : await download(url))
  if (!bytes) refuse({ code: 389, message: '(#389) Unable to fetch video file from URL.', type: 'OAuthException' })
  return json({ id: publishVideo(request, page, graphId(), bytes).videoId })
}

/** POST /{page}/video_reels: `start` returns an upload URL, `finish` publishes. */
export function uploadReel(request: ApiRequest): ApiResponse {
  const page = ownProfile(request, 'Facebook', request.params.id ?? '', 'pages_manage_posts')
  if (textOf(request, 'upload_phase') === 'start') {
    const upload = openUpload(request, page)
    return json({
      video_id: upload.id,
      upload_url: `${baseUrlOf(request, 'rupload.facebook.com')}/video-upload/v26.0/${upload.id}`,
    })
  }
  const upload = uploadOf(request, textOf(request, 'video_id'))
  const { videoId, post } = publishVideo(request, page, upload.id, assembleParts(upload))
  return json({ success: true, post_id: post.id.split('_')[1], video_id: videoId })
}

/** POST to the upload URL of a reel: bytes from `offset`, or a `file_url` to download. */
export async function receiveReel(request: ApiRequest): Promise<ApiResponse> {
  const upload = uploadOf(request, request.params.video)
  const url = request.headers.file_url
  const bytes = typeof url === 'string' ? await download(url) : request.raw
  if (!bytes?.length) refuse({ code: 389, message: '(#389) Unable to fetch video file.', type: 'OAuthException' })
  upload.parts.set(Number(request.headers.offset ?? 0), bytes)
  return json({ success: true })
}

function startUpload(request: ApiRequest, page: Profile): ApiResponse {
  const upload = openUpload(request, page)
  upload.size = numberOf(request, 'file_size')
  if (upload.size === undefined) badParameter('file_size is required')
  return json({ upload_session_id: upload.id, video_id: upload.extra.video, ...offsets(upload) })
}

function transferChunk(request: ApiRequest): ApiResponse {
  const upload = uploadOf(request, textOf(request, 'upload_session_id'))
  const chunk = request.files.video_file_chunk?.bytes
  const offset = numberOf(request, 'start_offset')
  if (!chunk || offset !== receivedBytes(upload)) {
    refuse({
      code: 6001,
      subcode: 1363037,
      message: `The next chunk must start at ${receivedBytes(upload)}.`,
      type: 'OAuthException',
      details: offsets(upload),
    })
  }
  // It is not documented whether Facebook accepts a shorter chunk than requested, so it is rejected here.
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

function finishUpload(request: ApiRequest, page: Profile): ApiResponse {
  const upload = uploadOf(request, textOf(request, 'upload_session_id'))
  if (receivedBytes(upload) !== upload.size) {
    refuse({ code: 6000, message: '(#6000) The upload is not complete.', type: 'OAuthException' })
  }
  publishVideo(request, page, String(upload.extra.video), assembleParts(upload))
  request.state.uploads.delete(upload.id)
  return json({ success: true })
}

function publishVideo(request: ApiRequest, page: Profile, videoId: string, bytes: Buffer) {
  // A repeated `finish` returns the existing video.
  const known = request.state.items.live('Facebook', videoId)
  if (known) return { videoId, post: known }
  const text = textOf(request, 'description') ?? ''
  checkText(text)
  const media = storeMedia(request.state, { network: 'Facebook', id: videoId, profile: page.id, bytes })
  checkMedia(media, 'video/')
  return { videoId, post: publish(request, page, text, [media], undefined, videoId) }
}

function openUpload(request: ApiRequest, page: Profile): Upload {
  const id = graphId()
  const upload: Upload = { id, network: 'Facebook', profile: page.id, parts: new Map(), extra: { video: graphId() } }
  request.state.uploads.set(id, upload)
  return upload
}

function uploadOf(request: ApiRequest, id: string | undefined): Upload {
  const upload = request.state.uploads.get(id ?? '')
  if (upload?.network !== 'Facebook') {
    if (id && mediaOf(request.state, 'Facebook', id)) badParameter('The upload is already finished')
    unknownObject(id ?? '')
  }
  return upload
}

function offsets(upload: Upload) {
  const from = receivedBytes(upload)
  return { start_offset: String(from), end_offset: String(Math.min(upload.size ?? 0, from + chunkSize(upload.size))) }
}
