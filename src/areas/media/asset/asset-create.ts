import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import { type Inspection, UnusableFile } from '#kernel/media-inspector/inspection.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { mediaIds, mediaQuotas } from '../declarations.ts'
import { nameIn } from '../download/file-name.ts'
import { withRequestSlot } from '../download/source-head.ts'
import { type InspectedFile, keep, newToken, release, storeSpooled } from '../file/stored-file.ts'
import { requireFolder } from '../folder/folder.ts'
import { notifyMediaChanged, shown } from './asset.ts'

const maximumBytes = 20 * 1024 * 1024

interface Draft {
  resource: string
  folderId?: string | undefined
}

interface FetchedImage {
  name: string
  file: InspectedFile
}

/** Fetched immediately, so that later publishing doesn't depend on an external server. */
export async function fetchImage(io: ExternalIo, { resource, folderId = '' }: Draft): Promise<FetchedImage> {
  const { accountId, files, now, step } = io
  if (folderId) await step((context) => requireFolder(context, folderId))
  const id = newId(mediaIds.upload, now)
  try {
    const name = await withRequestSlot(accountId, () => downloadToSpool(io, id, resource))
    const file = await storeSpooled(files, step, { accountId, id })
    if (file.probe.kind === 'image') return { name, file }
    await step((context) => release(context, file))
    throw new UnusableFile('Only images can be added by their address; use POST /upload.')
  } catch (error) {
    if (error instanceof UnusableFile || error instanceof OutboundFailure)
      throw invalid(`resource cannot be used. ${error.message}`)
    throw error
  } finally {
    await files.spool.remove(id)
  }
}

/** Returns the image's name. */
async function downloadToSpool({ outbound, files }: ExternalIo, id: string, url: string): Promise<string> {
  const request = { method: 'GET' as const, url, redirects: 3, maximumBytes, timeoutMs: 15_000 }
  const { status, headers, body } = await outbound.stream(request)
  if (status !== 200) throw new UnusableFile(`The server answered ${status} instead of the image.`)
  await files.spool.append(id, 0, body, maximumBytes)
  return nameIn(url, headers) ?? 'image'
}

export async function create(context: Context, { resource, folderId = '' }: Draft, { name, file }: FetchedImage) {
  // It may have been deleted during the download.
  if (folderId) await requireFolder(context, folderId)
  return shown(context, await createAsset(context, file, { name, folderId: folderId || null, source: resource }))
}

interface Description {
  name: string
  folderId: string | null
  /** For an image fetched from a URL. */
  source?: string
}

/** Creates the asset of a stored file. */
export async function createAsset(
  context: Context,
  { probe, ...held }: InspectedFile,
  { name, folderId, source }: Description,
) {
  const { db, accountId, userId, now } = context
  await reserveQuota(context, mediaQuotas.media, db.selectFrom('media').where('accountId', '=', accountId))
  await keep(context, held)
  const { digest, bytes } = held
  const row = {
    accountId,
    id: newId(mediaIds.media, now),
    created: now,
    modified: now,
    createdBy: userId,
    modifiedBy: userId,
    type: source === undefined ? mediaTypeOf[probe.kind] : ('ImageUrl' as const),
    name,
    mimeType: probe.mime,
    size: bytes,
    folderId,
    digest,
    token: newToken(),
    source: source ?? '',
    ...dimensionsOf(probe),
  }
  notifyMediaChanged(context, [row])
  return db.insertInto('media').values(row).returningAll().executeTakeFirstOrThrow()
}

const mediaTypeOf = { image: 'Image', video: 'Video', pdf: 'PDF' } as const

function dimensionsOf(probe: Inspection) {
  if (probe.kind === 'pdf') return { pages: probe.pages }
  const { width, height } = probe
  if (probe.kind === 'image') return { width, height, frames: probe.frames }
  const { durationMs, framesPerSecond = null, videoCodec = null, audioCodec = null } = probe
  return { width, height, durationMs: Math.round(durationMs), framesPerSecond, videoCodec, audioCodec }
}
