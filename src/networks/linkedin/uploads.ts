import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Actor } from '../connector/actor.ts'
import type { MediaRef } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import type { NetworkInstallation } from '../connector/network-app.ts'
import type { Json } from '../wire/json.ts'
import { type NetworkCall, readBytes } from '../wire/network-http.ts'
import { ask, type Calls, ifAllowed } from './calls.ts'
import { at, listAt, numberAt, textAt, textsAt, urnOf } from './fields.ts'
import { manifest } from './manifest.ts'
import { assetState } from './processing.ts'

/** Sends a picture or a document; gives its URN. */
export async function uploadFile(
  calls: Calls,
  actor: Actor,
  kind: 'image' | 'document',
  bytes: NonNullable<NetworkCall['bytes']>,
): Promise<string> {
  const { body } = await ask(calls, actor, {
    method: 'POST',
    path: `/rest/${kind}s?action=initializeUpload`,
    json: { initializeUploadRequest: { owner: urnOf(actor) } },
  })
  const address = textAt(body, 'value', 'uploadUrl')
  const urn = textAt(body, 'value', kind)
  if (!address || !urn) throw new NetworkError('LinkedIn', { kind: 'retryable' }, 'LinkedIn: no place for the upload.')
  const headers = { 'content-type': 'application/octet-stream' }
  await ask(calls, actor, { method: 'PUT', path: address, headers, bytes, timeoutMs: uploadTimeoutMs })
  return urn
}

/** A file as it comes out of the store, never whole in memory. */
export const streamed = (media: MediaRef) => ({ length: media.bytes, source: media.open() })

/** The picture of a link, fetched by us because LinkedIn does not; nothing when it cannot be had. */
export async function uploadThumbnail(calls: Calls, actor: Actor, imageUrl: string): Promise<string | undefined> {
  const picture = await fetchPicture(calls.installation, imageUrl)
  return picture && ifAllowed(uploadFile(calls, actor, 'image', picture), 'input')
}

async function fetchPicture({ outbound }: NetworkInstallation, url: string): Promise<Buffer | undefined> {
  const maximumBytes = manifest.limits.images.rule?.maxBytes ?? 0
  try {
    const request = { method: 'GET' as const, url, headers: { accept: 'image/*' }, maximumBytes, redirects: 3 }
    const { status, body } = await outbound.stream({ ...request, timeoutMs: 20_000 })
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk)
    const picture = Buffer.concat(chunks)
    return status === 200 && isPicture(picture) ? picture : undefined
  } catch (error) {
    if (error instanceof OutboundFailure) return undefined
    throw error
  }
}

/** JPEG, PNG or GIF by its first bytes; what a server calls a file is not reliable. */
const isPicture = (bytes: Buffer) => /^(?:ffd8ff|89504e470d0a1a0a|474946383[79]61)/.test(bytes.toString('hex', 0, 8))

const uploadTimeoutMs = 600_000

/** A video on its way: where its parts go, and the receipts of those that are there. */
type VideoUpload = {
  urn: string
  /** What LinkedIn calls the upload by, empty in most cases; it opens nothing else. */
  uploadId: string
  until: number
  parts: { url: string; first: number; last: number }[]
  etags: string[]
}

/** Sends a video part by part, going on after the last part that was kept; gives its URN. */
export async function uploadVideo(
  calls: Calls,
  actor: Actor,
  media: MediaRef,
  keep: (upload: Json) => Promise<void>,
  kept?: Json,
): Promise<string> {
  const before = keptUpload(kept)
  const now = calls.installation.clock.now().getTime()
  const upload = before && before.until > now ? before : await begin(calls, actor, media)
  for (const { url, first, last } of upload.parts.slice(upload.etags.length)) {
    const bytes = await readBytes(media, first, last + 1)
    const headers = { 'content-type': 'application/octet-stream' }
    const answer = await ask(calls, actor, { method: 'PUT', path: url, headers, bytes, timeoutMs: 300_000 })
    const etag = answer.headers.etag
    if (etag === undefined) throw unreadable()
    upload.etags.push(etag.replaceAll('"', ''))
    await keep(upload)
  }
  await finish(calls, actor, upload)
  return upload.urn
}

async function begin(calls: Calls, actor: Actor, media: MediaRef): Promise<VideoUpload> {
  const initializeUploadRequest = {
    owner: urnOf(actor),
    fileSizeBytes: media.bytes,
    uploadCaptions: false,
    uploadThumbnail: false,
  }
  const path = '/rest/videos?action=initializeUpload'
  const { body } = await ask(calls, actor, { method: 'POST', path, json: { initializeUploadRequest } })
  const value = at(body, 'value')
  const urn = textAt(value, 'video')
  const parts = listAt(value, 'uploadInstructions').map((part) => ({
    url: textAt(part, 'uploadUrl') ?? '',
    first: numberAt(part, 'firstByte') ?? 0,
    last: numberAt(part, 'lastByte') ?? media.bytes - 1,
  }))
  if (!urn || !parts.length) throw unreadable()
  const until = numberAt(value, 'uploadUrlsExpireAt') ?? calls.installation.clock.now().getTime() + hour
  return { urn, uploadId: textAt(value, 'uploadToken') ?? '', until, parts, etags: [] }
}

async function finish(calls: Calls, actor: Actor, { urn, uploadId, etags }: VideoUpload) {
  const finalizeUploadRequest = { video: urn, uploadToken: uploadId, uploadedPartIds: etags }
  const path = '/rest/videos?action=finalizeUpload'
  try {
    await ask(calls, actor, { method: 'POST', path, json: { finalizeUploadRequest } })
  } catch (error) {
    // An upload is finished once; whoever resumes after a lost answer is refused.
    if (!(error instanceof NetworkError) || error.fault.kind !== 'permanent') throw error
    if (!finished.includes(await assetState(calls, actor, urn))) throw error
  }
}

function keptUpload(kept: Json | undefined): VideoUpload | undefined {
  const urn = textAt(kept, 'urn')
  if (urn === undefined) return undefined
  const parts = listAt(kept, 'parts') as VideoUpload['parts']
  const uploadId = textAt(kept, 'uploadId') ?? ''
  return { urn, uploadId, until: numberAt(kept, 'until') ?? 0, parts, etags: textsAt(kept, 'etags') }
}

const unreadable = () => new NetworkError('LinkedIn', { kind: 'retryable' }, 'LinkedIn: the upload was not confirmed.')

const finished = ['PROCESSING', 'AVAILABLE']
const hour = 3_600_000
