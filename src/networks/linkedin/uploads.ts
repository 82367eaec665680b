import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Actor } from '../connector/connector.ts'
import { badInput, NetworkError } from '../connector/connector.ts'
import type { MediaRef, Progress, Step } from '../connector/draft.ts'
import type { NetworkInstallation } from '../connector/network-app.ts'
import type { Json } from '../http/json.ts'
import { type NetworkCall, readBytes } from '../http/network-http.ts'
import { ifAllowed, type LinkedInClient, request, requestObject } from './client.ts'
import { at, encoded, listAt, numberAt, textAt, textsAt, urnOf } from './fields.ts'
import { manifest } from './manifest.ts'

/** Uploads an image or document; returns its URN. */
export async function uploadFile(
  client: LinkedInClient,
  actor: Actor,
  kind: 'image' | 'document',
  bytes: NonNullable<NetworkCall['bytes']>,
): Promise<string> {
  const { body } = await request(client, actor, {
    method: 'POST',
    path: `/rest/${kind}s?action=initializeUpload`,
    json: { initializeUploadRequest: { owner: urnOf(actor) } },
  })
  const address = textAt(body, 'value', 'uploadUrl')
  const urn = textAt(body, 'value', kind)
  if (!address || !urn) throw new NetworkError('LinkedIn', { kind: 'retryable' }, 'LinkedIn: no place for the upload.')
  const headers = { 'content-type': 'application/octet-stream' }
  await request(client, actor, { method: 'PUT', path: address, headers, bytes, timeoutMs: uploadTimeoutMs })
  return urn
}

/** Streams a file from storage, never held in memory as a whole. */
export const streamed = (media: MediaRef) => ({ length: media.bytes, source: media.open() })

/** Image of a link preview, fetched by us because LinkedIn doesn't; undefined if it isn't available. */
export async function uploadThumbnail(
  client: LinkedInClient,
  actor: Actor,
  imageUrl: string,
): Promise<string | undefined> {
  const picture = await fetchPicture(client.installation, imageUrl)
  return picture && ifAllowed(uploadFile(client, actor, 'image', picture), 'input')
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

/** JPEG, PNG or GIF by the first bytes; servers' content types aren't reliable. */
const isPicture = (bytes: Buffer) => /^(?:ffd8ff|89504e470d0a1a0a|474946383[79]61)/.test(bytes.toString('hex', 0, 8))

const uploadTimeoutMs = 600_000

/** An unfinished video upload: URLs of its parts, and ETags of the uploaded ones. */
type VideoUpload = {
  urn: string
  /** LinkedIn's id of the upload, usually empty; not a secret. */
  uploadId: string
  until: number
  parts: { url: string; first: number; last: number }[]
  etags: string[]
}

/** Uploads a video in parts, resuming after the last saved part; returns its URN. */
export async function uploadVideo(
  client: LinkedInClient,
  actor: Actor,
  media: MediaRef,
  save: (upload: Json) => Promise<void>,
  saved?: Json,
): Promise<string> {
  const before = savedUpload(saved)
  const now = client.installation.clock.now().getTime()
  const upload = before && before.until > now ? before : await begin(client, actor, media)
  for (const { url, first, last } of upload.parts.slice(upload.etags.length)) {
    const bytes = await readBytes(media, first, last + 1)
    const headers = { 'content-type': 'application/octet-stream' }
    const response = await request(client, actor, { method: 'PUT', path: url, headers, bytes, timeoutMs: 300_000 })
    const etag = response.headers.etag
    if (etag === undefined) throw unreadableResponse()
    upload.etags.push(etag.replaceAll('"', ''))
    await save(upload)
  }
  await finish(client, actor, upload)
  return upload.urn
}

async function begin(client: LinkedInClient, actor: Actor, media: MediaRef): Promise<VideoUpload> {
  const initializeUploadRequest = {
    owner: urnOf(actor),
    fileSizeBytes: media.bytes,
    uploadCaptions: false,
    uploadThumbnail: false,
  }
  const path = '/rest/videos?action=initializeUpload'
  const { body } = await request(client, actor, { method: 'POST', path, json: { initializeUploadRequest } })
  const value = at(body, 'value')
  const urn = textAt(value, 'video')
  const parts = listAt(value, 'uploadInstructions').map((part) => ({
    url: textAt(part, 'uploadUrl') ?? '',
    first: numberAt(part, 'firstByte') ?? 0,
    last: numberAt(part, 'lastByte') ?? media.bytes - 1,
  }))
  if (!urn || !parts.length) throw unreadableResponse()
  const until = numberAt(value, 'uploadUrlsExpireAt') ?? client.installation.clock.now().getTime() + hour
  return { urn, uploadId: textAt(value, 'uploadToken') ?? '', until, parts, etags: [] }
}

async function finish(client: LinkedInClient, actor: Actor, { urn, uploadId, etags }: VideoUpload) {
  const finalizeUploadRequest = { video: urn, uploadToken: uploadId, uploadedPartIds: etags }
  const path = '/rest/videos?action=finalizeUpload'
  try {
    await request(client, actor, { method: 'POST', path, json: { finalizeUploadRequest } })
  } catch (error) {
    // An upload can be finished once; resuming after a lost response is rejected.
    if (!(error instanceof NetworkError) || error.fault.kind !== 'permanent') throw error
    if (!finished.includes(await assetState(client, actor, urn))) throw error
  }
}

function savedUpload(saved: Json | undefined): VideoUpload | undefined {
  const urn = textAt(saved, 'urn')
  if (urn === undefined) return undefined
  const parts = listAt(saved, 'parts') as VideoUpload['parts']
  const uploadId = textAt(saved, 'uploadId') ?? ''
  return { urn, uploadId, until: numberAt(saved, 'until') ?? 0, parts, etags: textsAt(saved, 'etags') }
}

const unreadableResponse = () =>
  new NetworkError('LinkedIn', { kind: 'retryable' }, 'LinkedIn: the upload was not confirmed.')

const finished = ['PROCESSING', 'AVAILABLE']
const hour = 3_600_000

/** Whether the token may read the profile's posts and uploads. */
export const mayRead = ({ kind, secret }: Actor) => kind === 'page' || secret.scopes.includes('r_member_social')

type AssetState = 'WAITING_UPLOAD' | 'PROCESSING' | 'AVAILABLE' | 'PROCESSING_FAILED' | 'unreadable'

export async function assetState(client: LinkedInClient, actor: Actor, urn: string): Promise<AssetState> {
  const kind = kindIn(urn)
  if (kind !== 'video' && !mayRead(actor)) return 'unreadable'
  const asset = await ifAllowed(requestObject(client, actor, `/rest/${kind}s/${encoded(urn)}`))
  return (textAt(asset, 'status') as AssetState | undefined) ?? 'unreadable'
}

/** Delay before the next check while LinkedIn processes uploads; undefined once the post can be created. */
export async function unfinished(
  client: LinkedInClient,
  actor: Actor,
  assets: readonly string[],
  progress?: Progress,
): Promise<Step | undefined> {
  if (!assets.length || progress?.waited === true) return undefined
  const states = await Promise.all(assets.map((urn) => assetState(client, actor, urn)))
  if (states.includes('PROCESSING_FAILED')) {
    throw badInput('LinkedIn', 'LinkedIn could not process the uploaded file; it may be damaged or too large.', 'media')
  }
  if (states.every((state) => state === 'AVAILABLE')) return undefined
  // If the state can't be read, waits once; a post created too early is rejected and retried.
  const blind = states.every((state) => state === 'AVAILABLE' || state === 'unreadable')
  return stillProcessing(assets, blind)
}

export const stillProcessing = (assets: readonly string[], waited: boolean): Step => ({
  state: 'pending',
  progress: { stage: 'processing', assets: [...assets], ...(waited && { waited }) },
  checkAfterMs: assets.some((urn) => kindIn(urn) === 'video') ? 10_000 : 5_000,
})

const kindIn = (urn: string) => urn.split(':')[2] ?? 'image'

export type AssetKind = 'image' | 'video' | 'document'

/** Asset kind of a file. */
export function kindOf({ mime }: Pick<MediaRef, 'mime'>): AssetKind {
  if (mime.startsWith('video/')) return 'video'
  return mime.startsWith('image/') ? 'image' : 'document'
}
