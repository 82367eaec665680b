import { createHash } from 'node:crypto'
import { brokenRule, isReady, joined, keepMedia, mediaOf } from '../behaviour/media.ts'
import type { Call } from '../http/request.ts'
import { deepText, listOf, numberOf, objectOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { addressOf } from '../http/router.ts'
import { hour } from '../state/clock.ts'
import { secret } from '../state/ids.ts'
import type { Media, Profile, Upload } from '../state/rows.ts'

import { actor, grantFor } from './access.ts'
import { badField, idOf, missing, refuse } from './protocol.ts'

type Kind = 'image' | 'document' | 'video'

const partSize = 4 * 1024 * 1024

/** POST /rest/images|documents|videos ?action=initializeUpload or finalizeUpload. */
export function uploadAction(kind: Kind) {
  return (call: Call): Answer => {
    const action = call.query.get('action')
    if (action === 'initializeUpload') return initialize(call, kind)
    if (action === 'finalizeUpload' && kind === 'video') return finalize(call)
    return refuse(400, 'ILLEGAL_ARGUMENT', `Unknown action ${action}`)
  }
}

function initialize(call: Call, kind: Kind): Answer {
  const request = objectOf(call, 'initializeUploadRequest') ?? {}
  const owner = actor(call, textOf(request, 'owner'))
  const id = `urn:li:${kind}:${secret('C4').slice(0, 20)}`
  const size = numberOf(request, 'fileSizeBytes')
  if (kind === 'video' && !size)
    badField('/initializeUploadRequest/fileSizeBytes', 'FIELD_REQUIRED', 'fileSizeBytes is required', 400)
  const upload: Upload = {
    id,
    network: 'LinkedIn',
    profile: owner.id,
    parts: new Map(),
    extra: { kind, token: secret('') },
  }
  if (size !== undefined) upload.size = size
  call.world.uploads.set(id, upload)
  const address = `${addressOf(call, 'www.linkedin.com')}/dms-uploads/${encodeURIComponent(id)}`
  const uploadUrlsExpireAt = call.world.clock.now() + hour
  if (kind !== 'video') {
    return json({ value: { uploadUrl: `${address}/0`, uploadUrlExpiresAt: uploadUrlsExpireAt, [kind]: id } })
  }
  const parts = Math.ceil((size ?? 1) / partSize)
  const uploadInstructions = Array.from({ length: parts }, (_, index) => ({
    uploadUrl: `${address}/${index}`,
    firstByte: index * partSize,
    lastByte: Math.min((index + 1) * partSize, size ?? 0) - 1,
  }))
  return json({ value: { video: id, uploadToken: upload.extra.token, uploadInstructions, uploadUrlsExpireAt } })
}

/** PUT of bytes to an address from initializeUpload; pictures and documents are whole with it. */
export function receive(call: Call): Answer {
  const upload = uploadOf(call, call.params.urn)
  const part = Number(call.params.part)
  if (!call.raw.length) refuse(400, 'BAD_REQUEST', 'The upload holds no bytes')
  upload.parts.set(part, call.raw)
  if (upload.extra.kind !== 'video') keep(call, upload)
  const etag = createHash('sha256').update(call.raw).digest('hex').slice(0, 32)
  upload.extra[`part${part}`] = etag
  return { status: 201, headers: { etag } }
}

function finalize(call: Call): Answer {
  const request = objectOf(call, 'finalizeUploadRequest') ?? {}
  const upload = uploadOf(call, textOf(request, 'video'))
  const given = listOf(request, 'uploadedPartIds').map((tag) => String(tag).replaceAll('"', ''))
  const expected = [...upload.parts.keys()]
    .sort((left, right) => left - right)
    .map((part) => upload.extra[`part${part}`])
  if (textOf(request, 'uploadToken') !== upload.extra.token || given.join() !== expected.join()) {
    badField(
      '/finalizeUploadRequest/uploadedPartIds',
      'INVALID_VALUE',
      'uploadToken or uploadedPartIds do not match',
      400,
    )
  }
  if (joined(upload).length !== upload.size) refuse(400, 'BAD_REQUEST', 'Not every part was uploaded')
  keep(call, upload)
  return { status: 200 }
}

/** GET /rest/images|documents|videos/{urn}. */
export function uploadState(call: Call): Answer {
  const urn = call.params.urn ?? ''
  const page = call.world.profile('LinkedIn', idOf(urn))
  if (page) return logo(call, page)
  const media = mediaOf(call.world, 'LinkedIn', urn)
  const upload = call.world.uploads.get(urn)
  const owner = actor(call, ownerUrn(call, media?.profile ?? upload?.profile), 'r')
  return json({
    id: urn,
    owner: `urn:li:${owner.kind === 'member' ? 'person' : 'organization'}:${owner.id}`,
    status: stateOf(call, media),
  })
}

/** A page's logo is an asset whose id is the page's. */
function logo(call: Call, { id }: Profile): Answer {
  grantFor(call)
  const downloadUrl = `${call.origin}/linkedin/profiles/${id}/picture`
  return json({ id: call.params.urn, owner: `urn:li:organization:${id}`, status: 'AVAILABLE', downloadUrl })
}

export function stateOf(call: Call, media: Media | undefined) {
  if (!media) return 'WAITING_UPLOAD'
  if (!isReady(call, media)) return 'PROCESSING'
  return media.failed === undefined ? 'AVAILABLE' : 'PROCESSING_FAILED'
}

function keep(call: Call, upload: Upload) {
  const media = keepMedia(call.world, {
    network: 'LinkedIn',
    id: upload.id,
    profile: upload.profile,
    bytes: joined(upload),
  })
  const kind = media.mime === 'application/pdf' ? 'document' : media.mime.split('/')[0]
  const broken = kind === upload.extra.kind ? brokenRule('LinkedIn', media) : 'kind'
  if (broken) call.world.media.change(media, { failed: `The file is refused because of its ${broken}` })
  upload.parts = new Map()
}

function uploadOf(call: Call, urn: string | undefined): Upload {
  const upload = call.world.uploads.get(urn ?? deepText(call, 'video') ?? '')
  if (upload?.network !== 'LinkedIn') missing(`the upload ${urn}`)
  return upload
}

function ownerUrn(call: Call, id: string | undefined): string {
  if (id === undefined) missing(`the asset ${call.params.urn}`)
  return `urn:li:any:${id}`
}
