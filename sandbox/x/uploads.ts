import { assembleParts, isReady, mediaOf, receivedBytes, storeMedia, violatedRule } from '../behaviour/media.ts'
import { type ApiRequest, nestedText, numberOf, textOf } from '../http/request.ts'
import { ApiError, type ApiResponse, json } from '../http/response.ts'
import { snowflake } from '../state/ids.ts'
import type { Media, Upload } from '../state/rows.ts'
import { badRequest, notFound, requireUser, twitterFaultResponses } from './access.ts'

const expirySeconds = 86_400

/** POST /2/media/upload: an image in one request, or the older `command` form of chunked uploads. */
export function upload(request: ApiRequest): ApiResponse {
  const command = textOf(request, 'command')
  if (command === 'INIT') return initialize(request)
  const id = textOf(request, 'media_id')
  if (id !== undefined && !request.params.id) request.params.id = id
  if (command === 'APPEND') return append(request)
  if (command === 'FINALIZE') return finalize(request)
  const owner = requireUser(request, 'media.write')
  const bytes = request.files.media?.bytes ?? decodeMedia(request)
  if (!bytes) badRequest('media is missing')
  const media = storeMedia(request.state, { network: 'Twitter', id: snowflake(), profile: owner.id, bytes })
  if (!media.mime.startsWith('image/')) badRequest('Only images fit in one call.')
  checkMedia(media)
  return json({ data: shape(request, media) })
}

export function initialize(request: ApiRequest): ApiResponse {
  const owner = requireUser(request, 'media.write')
  const size = numberOf(request, 'total_bytes')
  const mime = textOf(request, 'media_type')
  if (!size || !mime) badRequest('total_bytes and media_type are required')
  const id = snowflake()
  request.state.uploads.set(id, { id, network: 'Twitter', profile: owner.id, size, mime, parts: new Map(), extra: {} })
  return json({ data: { id, media_key: `13_${id}`, expires_after_secs: expirySeconds } })
}

export function append(request: ApiRequest): ApiResponse {
  const found = openUpload(request)
  const index = numberOf(request, 'segment_index')
  const bytes = request.files.media?.bytes ?? decodeMedia(request)
  if (index === undefined || index < 0 || index > 999 || !bytes) badRequest('segment_index and media are required')
  found.parts.set(index, bytes)
  return json({ data: { expires_at: Math.floor(request.state.clock.now() / 1000) + expirySeconds } })
}

export function finalize(request: ApiRequest): ApiResponse {
  const known = mediaOf(request.state, 'Twitter', request.params.id ?? '')
  if (known) return json({ data: shape(request, known) })
  const found = openUpload(request)
  if (receivedBytes(found) !== found.size) badRequest(`${receivedBytes(found)} of ${found.size} bytes arrived.`)
  const media = storeMedia(request.state, {
    network: 'Twitter',
    id: found.id,
    profile: found.profile,
    bytes: assembleParts(found),
  })
  request.state.uploads.delete(found.id)
  checkMedia(media)
  return json({ data: shape(request, media) })
}

/** GET /2/media/upload?command=STATUS&media_id=. */
export function uploadStatus(request: ApiRequest): ApiResponse {
  requireUser(request, 'media.write')
  const id = textOf(request, 'media_id') ?? ''
  const media = mediaOf(request.state, 'Twitter', id)
  if (!media) notFound('media', id)
  return json({ data: shape(request, media) })
}

/** POST /2/media/metadata: the alternative text. */
export function describe(request: ApiRequest): ApiResponse {
  requireUser(request, 'media.write')
  const id = textOf(request, 'id') ?? ''
  const media = mediaOf(request.state, 'Twitter', id)
  if (!media) notFound('media', id)
  const alt = nestedText(request, 'metadata', 'alt_text', 'text') ?? ''
  if (alt.length > 1000) badRequest('alt_text may have 1000 characters')
  request.state.media.change(media, { alt })
  return json({ data: { id, associated_metadata: { alt_text: { text: alt } } } })
}

function shape(request: ApiRequest, media: Media) {
  const basics = { id: media.id, media_key: `3_${media.id}`, size: media.bytes, expires_after_secs: expirySeconds }
  if (!media.mime.startsWith('video/') && !request.notReady && isReady(request, media)) return basics
  const ready = isReady(request, media)
  const state = !ready ? 'in_progress' : media.failed === undefined ? 'succeeded' : 'failed'
  return {
    ...basics,
    processing_info: {
      state,
      ...(ready ? { progress_percent: 100 } : { check_after_secs: 1, progress_percent: 50 }),
      ...(state === 'failed' ? { error: { code: 1, name: 'InvalidMedia', message: media.failed } } : {}),
    },
  }
}

function checkMedia(media: Media) {
  const broken = violatedRule('Twitter', media)
  if (broken) badRequest(`The media is refused because of its ${broken}.`)
}

function openUpload(request: ApiRequest): Upload {
  const owner = requireUser(request, 'media.write')
  const found = request.state.uploads.get(request.params.id ?? '')
  if (found?.profile !== owner.id) throw new ApiError(twitterFaultResponses.notReady(request))
  return found
}

function decodeMedia(request: ApiRequest): Buffer | undefined {
  const text = textOf(request, 'media') ?? textOf(request, 'media_data')
  return text === undefined ? undefined : Buffer.from(text, 'base64')
}
