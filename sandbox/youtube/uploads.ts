import { brokenRule, joined, keepMedia, mediaOf, received } from '../behaviour/media.ts'
import type { Call } from '../http/request.ts'
import { deepText, objectOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { addressOf } from '../http/router.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { secret, videoCode } from '../state/ids.ts'
import { record } from '../state/items.ts'
import type { Item, Json, Profile, Upload } from '../state/rows.ts'

import { channel, refuse } from './access.ts'
import { uploadPushed } from './push.ts'
import { videoShape } from './shapes.ts'

const chunkUnit = 256 * 1024

/** POST /upload/youtube/v3/videos?uploadType=resumable: opens a session, whose address comes back in Location. */
export function openSession(call: Call): Answer {
  const owner = channel(call, 'youtube.upload', 'youtube.force-ssl')
  if (call.query.get('uploadType') !== 'resumable') {
    refuse(400, 'badRequest', 'The sandbox takes resumable uploads only.', 'global')
  }
  checkWords(call)
  const id = secret('')
  const size = Number(call.headers['x-upload-content-length'])
  const extra = {
    snippet: objectOf(call, 'snippet') as Json,
    status: objectOf(call, 'status') as Json,
    openedAt: call.world.clock.now(),
  }
  const upload: Upload = { id, network: 'YouTube', profile: owner.id, parts: new Map(), extra }
  if (size > 0) upload.size = size
  call.world.uploads.set(id, upload)
  const part = encodeURIComponent(call.query.get('part') ?? 'snippet')
  const session = `uploadType=resumable&part=${part}&upload_id=${id}`
  const location = `${addressOf(call, 'www.googleapis.com')}/upload/youtube/v3/videos?${session}`
  return { status: 200, headers: { location, 'x-guploader-uploadid': id } }
}

/** PUT of bytes, or of none with `bytes *` to learn how far the upload is. */
export function receive(call: Call): Answer {
  const id = call.query.get('upload_id') ?? ''
  const finished = call.world.items.all().find((item) => item.network === 'YouTube' && item.extra?.upload === id)
  if (finished) return json(videoShape(call, finished))
  const upload = call.world.uploads.get(id)
  if (upload?.network !== 'YouTube') refuse(404, 'notFound', 'The upload session is not known.', 'global')
  if (Number(upload.extra.openedAt) < call.world.clock.now() - 7 * day)
    refuse(410, 'gone', 'The session has expired.', 'global')
  const range = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(call.headers['content-range'] ?? '')
  const total = range?.[3] && range[3] !== '*' ? Number(range[3]) : (upload.size ?? call.raw.length)
  upload.size = total
  if (range && range[1] === undefined)
    return received(upload) === total && total > 0 ? finish(call, upload) : incomplete(upload)
  const from = Number(range?.[1] ?? 0)
  if (from !== received(upload)) return incomplete(upload)
  if (from + call.raw.length < total && call.raw.length % chunkUnit !== 0) {
    refuse(400, 'badRequest', 'Chunks must be multiples of 256 KiB.', 'global')
  }
  upload.parts.set(from, call.raw)
  return received(upload) >= total ? finish(call, upload) : incomplete(upload)
}

function incomplete(upload: Upload): Answer {
  const size = received(upload)
  return { status: 308, headers: size > 0 ? { range: `bytes=0-${size - 1}` } : {} }
}

function finish(call: Call, upload: Upload): Answer {
  const { world } = call
  const owner = world.profile('YouTube', upload.profile)
  if (!owner) refuse(404, 'channelNotFound', 'The channel is gone.')
  const id = videoCode()
  const media = keepMedia(world, { network: 'YouTube', id, profile: owner.id, bytes: joined(upload) })
  const broken = brokenRule('YouTube', media)
  if (broken) world.media.change(media, { failed: broken === 'kind' ? 'invalidFile' : 'tooSmall' })
  const { snippet, status } = upload.extra as { snippet?: object; status?: object }
  const title = textOf(snippet ?? {}, 'title') ?? ''
  const asked = textOf(status ?? {}, 'privacyStatus') ?? 'public'
  const repeat = isRepeat(call, owner, media.sha256, title)
  const video = record(world, owner, {
    id,
    kind: 'post',
    title,
    text: textOf(snippet ?? {}, 'description') ?? '',
    media: [id],
    extra: {
      upload: upload.id,
      snippet: (snippet ?? {}) as Json,
      // Some channels' settings make every upload private; projects without an audit no longer do since 2 November 2026.
      privacyStatus: owner.tier === 'private-uploads' ? 'private' : asked,
      ...(repeat ? { rejected: 'duplicate' } : {}),
    },
  })
  world.uploads.delete(upload.id)
  uploadPushed(world, owner, video)
  return json(videoShape(call, video), 200)
}

function isRepeat(call: Call, owner: Profile, sha256: string, title: string): boolean {
  const same = (post: Item) => post.title === title && mediaOf(call.world, 'YouTube', post.id)?.sha256 === sha256
  return call.world.items.ofProfile('YouTube', owner.id, 'post').some(same)
}

function checkWords(call: Call) {
  const title = deepText(call, 'snippet', 'title')?.trim() ?? ''
  const description = deepText(call, 'snippet', 'description') ?? ''
  const tags = objectOf(call, 'snippet')?.tags
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
