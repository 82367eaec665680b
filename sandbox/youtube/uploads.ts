import { assembleParts, mediaOf, receivedBytes, storeMedia, violatedRule } from '../behaviour/media.ts'
import { type ApiRequest, nestedText, objectOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { baseUrlOf } from '../http/router.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { secret, videoCode } from '../state/ids.ts'
import { recordAction } from '../state/items.ts'
import type { Item, Json, Profile, Upload } from '../state/rows.ts'
import { refuse, requireChannel } from './access.ts'
import { pushUpload } from './push.ts'
import { videoShape } from './shapes.ts'

const chunkUnit = 256 * 1024

/** POST /upload/youtube/v3/videos?uploadType=resumable: opens a session and returns its URL in Location. */
export function openSession(request: ApiRequest): ApiResponse {
  const owner = requireChannel(request, 'youtube.upload', 'youtube.force-ssl')
  if (request.query.get('uploadType') !== 'resumable') {
    refuse(400, 'badRequest', 'The sandbox takes resumable uploads only.', 'global')
  }
  checkMetadata(request)
  const id = secret('')
  const size = Number(request.headers['x-upload-content-length'])
  const extra = {
    snippet: objectOf(request, 'snippet') as Json,
    status: objectOf(request, 'status') as Json,
    openedAt: request.state.clock.now(),
  }
  const upload: Upload = { id, network: 'YouTube', profile: owner.id, parts: new Map(), extra }
  if (size > 0) upload.size = size
  request.state.uploads.set(id, upload)
  const part = encodeURIComponent(request.query.get('part') ?? 'snippet')
  const session = `uploadType=resumable&part=${part}&upload_id=${id}`
  const location = `${baseUrlOf(request, 'www.googleapis.com')}/upload/youtube/v3/videos?${session}`
  return { status: 200, headers: { location, 'x-guploader-uploadid': id } }
}

/** PUT of bytes, or an empty PUT with `bytes *` to read the progress. */
export function receiveBytes(request: ApiRequest): ApiResponse {
  const id = request.query.get('upload_id') ?? ''
  const finished = request.state.items.all().find((item) => item.network === 'YouTube' && item.extra?.upload === id)
  if (finished) return json(videoShape(request, finished))
  const upload = request.state.uploads.get(id)
  if (upload?.network !== 'YouTube') refuse(404, 'notFound', 'The upload session is not known.', 'global')
  if (Number(upload.extra.openedAt) < request.state.clock.now() - 7 * day)
    refuse(410, 'gone', 'The session has expired.', 'global')
  const range = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(request.headers['content-range'] ?? '')
  const total = range?.[3] && range[3] !== '*' ? Number(range[3]) : (upload.size ?? request.raw.length)
  upload.size = total
  if (range && range[1] === undefined)
    return receivedBytes(upload) === total && total > 0 ? finish(request, upload) : incomplete(upload)
  const from = Number(range?.[1] ?? 0)
  if (from !== receivedBytes(upload)) return incomplete(upload)
  if (from + request.raw.length < total && request.raw.length % chunkUnit !== 0) {
    refuse(400, 'badRequest', 'Chunks must be multiples of 256 KiB.', 'global')
  }
  upload.parts.set(from, request.raw)
  return receivedBytes(upload) >= total ? finish(request, upload) : incomplete(upload)
}

function incomplete(upload: Upload): ApiResponse {
  const size = receivedBytes(upload)
  return { status: 308, headers: size > 0 ? { range: `bytes=0-${size - 1}` } : {} }
}

function finish(request: ApiRequest, upload: Upload): ApiResponse {
  const { state } = request
  const owner = state.profile('YouTube', upload.profile)
  if (!owner) refuse(404, 'channelNotFound', 'The channel is gone.')
  const id = videoCode()
  const media = storeMedia(state, { network: 'YouTube', id, profile: owner.id, bytes: assembleParts(upload) })
  const broken = violatedRule('YouTube', media)
  if (broken) state.media.change(media, { failed: broken === 'kind' ? 'invalidFile' : 'tooSmall' })
  const { snippet, status } = upload.extra as { snippet?: object; status?: object }
  const title = textOf(snippet ?? {}, 'title') ?? ''
  const requested = textOf(status ?? {}, 'privacyStatus') ?? 'public'
  const repeat = isDuplicate(request, owner, media.sha256, title)
  const video = recordAction(state, owner, {
    id,
    kind: 'post',
    title,
    text: textOf(snippet ?? {}, 'description') ?? '',
    media: [id],
    extra: {
      upload: upload.id,
      snippet: (snippet ?? {}) as Json,
      // Some channels make every upload private by their settings; unaudited projects no longer do since 2 November 2026.
      privacyStatus: owner.tier === 'private-uploads' ? 'private' : requested,
      ...(repeat ? { rejected: 'duplicate' } : {}),
    },
  })
  state.uploads.delete(upload.id)
  pushUpload(state, owner, video)
  return json(videoShape(request, video), 200)
}

function isDuplicate(request: ApiRequest, owner: Profile, sha256: string, title: string): boolean {
  const same = (post: Item) => post.title === title && mediaOf(request.state, 'YouTube', post.id)?.sha256 === sha256
  return request.state.items.ofProfile('YouTube', owner.id, 'post').some(same)
}

function checkMetadata(request: ApiRequest) {
  const title = nestedText(request, 'snippet', 'title')?.trim() ?? ''
  const description = nestedText(request, 'snippet', 'description') ?? ''
  const tags = objectOf(request, 'snippet')?.tags
  if (!title || [...title].length > (limits.YouTube.title ?? 0) || /[<>]/.test(title)) {
    refuse(400, 'invalidTitle', 'The request metadata specifies an invalid or empty video title.', 'youtube.video')
  }
  if (Buffer.byteLength(description) > limits.YouTube.text || /[<>]/.test(description)) {
    refuse(400, 'invalidDescription', 'The request metadata specifies an invalid video description.', 'youtube.video')
  }
  if (Array.isArray(tags) && tags.join(',').length > 500) {
    refuse(400, 'invalidTags', 'The request metadata specifies invalid video keywords.', 'youtube.video')
  }
}
