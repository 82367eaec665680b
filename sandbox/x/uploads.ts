import { brokenRule, isReady, joined, keepMedia, mediaOf, received } from '../behaviour/media.ts'
import type { Call } from '../http/request.ts'
import { deepText, numberOf, textOf } from '../http/request.ts'
import { type Answer, json, Refusal } from '../http/response.ts'
import { snowflake } from '../state/ids.ts'
import type { Media, Upload } from '../state/rows.ts'

import { badRequest, notFound, twitterAnswers, user } from './access.ts'

const life = 86_400

/** POST /2/media/upload: a picture in one call, or the older `command` form of the large upload. */
export function upload(call: Call): Answer {
  const command = textOf(call, 'command')
  if (command === 'INIT') return initialize(call)
  const id = textOf(call, 'media_id')
  if (id !== undefined && !call.params.id) call.params.id = id
  if (command === 'APPEND') return append(call)
  if (command === 'FINALIZE') return finalize(call)
  const owner = user(call, 'media.write')
  const bytes = call.files.media?.bytes ?? encoded(call)
  if (!bytes) badRequest('media is missing')
  const media = keepMedia(call.world, { network: 'Twitter', id: snowflake(), profile: owner.id, bytes })
  if (!media.mime.startsWith('image/')) badRequest('Only images fit in one call.')
  checkMedia(media)
  return json({ data: shape(call, media) })
}

export function initialize(call: Call): Answer {
  const owner = user(call, 'media.write')
  const size = numberOf(call, 'total_bytes')
  const mime = textOf(call, 'media_type')
  if (!size || !mime) badRequest('total_bytes and media_type are required')
  const id = snowflake()
  call.world.uploads.set(id, { id, network: 'Twitter', profile: owner.id, size, mime, parts: new Map(), extra: {} })
  return json({ data: { id, media_key: `13_${id}`, expires_after_secs: life } })
}

export function append(call: Call): Answer {
  const found = open(call)
  const index = numberOf(call, 'segment_index')
  const bytes = call.files.media?.bytes ?? encoded(call)
  if (index === undefined || index < 0 || index > 999 || !bytes) badRequest('segment_index and media are required')
  found.parts.set(index, bytes)
  return json({ data: { expires_at: Math.floor(call.world.clock.now() / 1000) + life } })
}

export function finalize(call: Call): Answer {
  const known = mediaOf(call.world, 'Twitter', call.params.id ?? '')
  if (known) return json({ data: shape(call, known) })
  const found = open(call)
  if (received(found) !== found.size) badRequest(`${received(found)} of ${found.size} bytes arrived.`)
  const media = keepMedia(call.world, {
    network: 'Twitter',
    id: found.id,
    profile: found.profile,
    bytes: joined(found),
  })
  call.world.uploads.delete(found.id)
  checkMedia(media)
  return json({ data: shape(call, media) })
}

/** GET /2/media/upload?command=STATUS&media_id=. */
export function uploadStatus(call: Call): Answer {
  user(call, 'media.write')
  const id = textOf(call, 'media_id') ?? ''
  const media = mediaOf(call.world, 'Twitter', id)
  if (!media) notFound('media', id)
  return json({ data: shape(call, media) })
}

/** POST /2/media/metadata: the words for those who cannot see. */
export function describe(call: Call): Answer {
  user(call, 'media.write')
  const id = textOf(call, 'id') ?? ''
  const media = mediaOf(call.world, 'Twitter', id)
  if (!media) notFound('media', id)
  const alt = deepText(call, 'metadata', 'alt_text', 'text') ?? ''
  if (alt.length > 1000) badRequest('alt_text may have 1000 characters')
  call.world.media.change(media, { alt })
  return json({ data: { id, associated_metadata: { alt_text: { text: alt } } } })
}

function shape(call: Call, media: Media) {
  const basics = { id: media.id, media_key: `3_${media.id}`, size: media.bytes, expires_after_secs: life }
  if (!media.mime.startsWith('video/') && !call.notReady && isReady(call, media)) return basics
  const ready = isReady(call, media)
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
  const broken = brokenRule('Twitter', media)
  if (broken) badRequest(`The media is refused because of its ${broken}.`)
}

function open(call: Call): Upload {
  const owner = user(call, 'media.write')
  const found = call.world.uploads.get(call.params.id ?? '')
  if (found?.profile !== owner.id) throw new Refusal(twitterAnswers.notReady(call))
  return found
}

function encoded(call: Call): Buffer | undefined {
  const text = textOf(call, 'media') ?? textOf(call, 'media_data')
  return text === undefined ? undefined : Buffer.from(text, 'base64')
}
