import { keepMedia, mediaOf, pull } from '../behaviour/media.ts'
import { joined, received, type Upload } from '../behaviour/uploads.ts'
import { ownProfile } from '../graph/access.ts'
import { badParameter, refuse, unknownObject } from '../graph/refusals.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { numberOf, textOf } from '../http/fields.ts'
import { addressOf } from '../http/hosts.ts'
import { graphId } from '../state/ids.ts'
import type { Profile } from '../state/rows.ts'
import { checkMedia, checkText, publish } from './publishing.ts'

/** What one transfer call holds: larger pieces for larger files. */
const chunkSize = (size = 0) => (size > 64 * MiB ? 20 * MiB : 4 * MiB)
const MiB = 1024 * 1024

/** POST /{page}/videos: in one call, or start, transfer, finish. */
export async function uploadVideo(call: Call): Promise<Answer> {
  const page = ownProfile(call, 'Facebook', call.params.id ?? '', 'pages_manage_posts')
  const phase = textOf(call, 'upload_phase')
  if (phase === 'start') return start(call, page)
  if (phase === 'transfer') return transfer(call)
  if (phase === 'finish') return finish(call, page)
  const url = textOf(call, 'file_url')
  const bytes = call.files.source?.bytes ?? (url === undefined ? undefined : await pull(url))
  if (!bytes) refuse({ code: 389, message: '(#389) Unable to fetch video file from URL.', type: 'OAuthException' })
  return json({ id: publishVideo(call, page, graphId(), bytes).videoId })
}

/** POST /{page}/video_reels: start gives an address for the bytes, finish publishes. */
export function uploadReel(call: Call): Answer {
  const page = ownProfile(call, 'Facebook', call.params.id ?? '', 'pages_manage_posts')
  if (textOf(call, 'upload_phase') === 'start') {
    const upload = open(call, page)
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

function start(call: Call, page: Profile): Answer {
  const upload = open(call, page)
  upload.size = numberOf(call, 'file_size')
  if (upload.size === undefined) badParameter('file_size is required')
  return json({ upload_session_id: upload.id, video_id: upload.extra.video, ...offsets(upload) })
}

function transfer(call: Call): Answer {
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

function finish(call: Call, page: Profile): Answer {
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

function open(call: Call, page: Profile): Upload {
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
