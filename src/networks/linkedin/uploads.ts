import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Actor } from '../connector/actor.ts'
import type { MediaRef } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import type { NetworkInstallation } from '../connector/network-app.ts'
import type { NetworkCall } from '../wire/network-call.ts'
import { ask, type Calls, ifAllowed } from './calls.ts'
import { textAt } from './fields.ts'
import { manifest } from './manifest.ts'
import { urnOf } from './urns.ts'

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
