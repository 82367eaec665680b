import { createHash } from 'node:crypto'
import { assembleParts, isReady, mediaOf, storeMedia, violatedRule } from '../behaviour/media.ts'
import { type ApiRequest, listOf, nestedText, numberOf, objectOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { baseUrlOf } from '../http/router.ts'
import { hour } from '../state/clock.ts'
import { secret } from '../state/ids.ts'
import type { Media, Profile, Upload } from '../state/rows.ts'
import { actor, grantFor } from './access.ts'
import { badField, idOf, notFound, refuse } from './protocol.ts'

type Kind = 'image' | 'document' | 'video'

const partSize = 4 * 1024 * 1024

/** POST /rest/images|documents|videos ?action=initializeUpload or finalizeUpload. */
export function uploadAction(kind: Kind) {
  return (request: ApiRequest): ApiResponse => {
    const action = request.query.get('action')
    if (action === 'initializeUpload') return initialize(request, kind)
    if (action === 'finalizeUpload' && kind === 'video') return finalize(request)
    return refuse(400, 'ILLEGAL_ARGUMENT', `Unknown action ${action}`)
  }
}

function initialize(request: ApiRequest, kind: Kind): ApiResponse {
  const params = objectOf(request, 'initializeUploadRequest') ?? {}
  const owner = actor(request, textOf(params, 'owner'))
  const id = `urn:li:${kind}:${secret('C4').slice(0, 20)}`
  const size = numberOf(params, 'fileSizeBytes')
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
  request.state.uploads.set(id, upload)
  const uploadBase = `${baseUrlOf(request, 'www.linkedin.com')}/dms-uploads/${encodeURIComponent(id)}`
  const uploadUrlsExpireAt = request.state.clock.now() + hour
  if (kind !== 'video') {
    return json({ value: { uploadUrl: `${uploadBase}/0`, uploadUrlExpiresAt: uploadUrlsExpireAt, [kind]: id } })
  }
  const parts = Math.ceil((size ?? 1) / partSize)
  const uploadInstructions = Array.from({ length: parts }, (_, index) => ({
    uploadUrl: `${uploadBase}/${index}`,
    firstByte: index * partSize,
    lastByte: Math.min((index + 1) * partSize, size ?? 0) - 1,
  }))
  return json({ value: { video: id, uploadToken: upload.extra.token, uploadInstructions, uploadUrlsExpireAt } })
}

/** PUT to a URL from initializeUpload; images and documents are complete after one request. */
export function receivePart(request: ApiRequest): ApiResponse {
  const upload = uploadOf(request, request.params.urn)
  const part = Number(request.params.part)
  if (!request.raw.length) refuse(400, 'BAD_REQUEST', 'The upload holds no bytes')
  upload.parts.set(part, request.raw)
  if (upload.extra.kind !== 'video') storeUpload(request, upload)
  const etag = createHash('sha256').update(request.raw).digest('hex').slice(0, 32)
  upload.extra[`part${part}`] = etag
  return { status: 201, headers: { etag } }
}

function finalize(request: ApiRequest): ApiResponse {
  const params = objectOf(request, 'finalizeUploadRequest') ?? {}
  const upload = uploadOf(request, textOf(params, 'video'))
  const given = listOf(params, 'uploadedPartIds').map((tag) => String(tag).replaceAll('"', ''))
  const expected = [...upload.parts.keys()]
    .sort((left, right) => left - right)
    .map((part) => upload.extra[`part${part}`])
  if (textOf(params, 'uploadToken') !== upload.extra.token || given.join() !== expected.join()) {
    badField(
      '/finalizeUploadRequest/uploadedPartIds',
      'INVALID_VALUE',
      'uploadToken or uploadedPartIds do not match',
      400,
    )
  }
  if (assembleParts(upload).length !== upload.size) refuse(400, 'BAD_REQUEST', 'Not every part was uploaded')
  storeUpload(request, upload)
  return { status: 200 }
}

/** GET /rest/images|documents|videos/{urn}. */
export function uploadStatus(request: ApiRequest): ApiResponse {
  const urn = request.params.urn ?? ''
  const page = request.state.profile('LinkedIn', idOf(urn))
  if (page) return logo(request, page)
  const media = mediaOf(request.state, 'LinkedIn', urn)
  const upload = request.state.uploads.get(urn)
  const owner = actor(request, ownerUrn(request, media?.profile ?? upload?.profile), 'r')
  return json({
    id: urn,
    owner: `urn:li:${owner.kind === 'member' ? 'person' : 'organization'}:${owner.id}`,
    status: statusOf(request, media),
  })
}

/** The logo of a page is an asset with the id of the page. */
function logo(request: ApiRequest, { id }: Profile): ApiResponse {
  grantFor(request)
  const downloadUrl = `${request.origin}/linkedin/profiles/${id}/picture`
  return json({ id: request.params.urn, owner: `urn:li:organization:${id}`, status: 'AVAILABLE', downloadUrl })
}

export function statusOf(request: ApiRequest, media: Media | undefined) {
  if (!media) return 'WAITING_UPLOAD'
  if (!isReady(request, media)) return 'PROCESSING'
  return media.failed === undefined ? 'AVAILABLE' : 'PROCESSING_FAILED'
}

function storeUpload(request: ApiRequest, upload: Upload) {
  const media = storeMedia(request.state, {
    network: 'LinkedIn',
    id: upload.id,
    profile: upload.profile,
    bytes: assembleParts(upload),
  })
  const kind = media.mime === 'application/pdf' ? 'document' : media.mime.split('/')[0]
  const broken = kind === upload.extra.kind ? violatedRule('LinkedIn', media) : 'kind'
  if (broken) request.state.media.change(media, { failed: `The file is refused because of its ${broken}` })
  upload.parts = new Map()
}

function uploadOf(request: ApiRequest, urn: string | undefined): Upload {
  const upload = request.state.uploads.get(urn ?? nestedText(request, 'video') ?? '')
  if (upload?.network !== 'LinkedIn') notFound(`the upload ${urn}`)
  return upload
}

function ownerUrn(request: ApiRequest, id: string | undefined): string {
  if (id === undefined) notFound(`the asset ${request.params.urn}`)
  return `urn:li:any:${id}`
}
