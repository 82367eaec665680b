import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import { UnusableFile } from '#kernel/media-inspector/inspection.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import { mediaIds } from '../declarations.ts'
import { nameIn } from '../download/file-name.ts'
import { whileCallerWaits } from '../download/source-head.ts'
import { requireFolder } from '../folder/folder.ts'
import { makeAsset, type StoredUpload, takeIn } from '../storing/intake.ts'
import { release } from '../storing/stored-file.ts'
import { shown } from './asset.ts'

const maximumBytes = 20 * 1024 * 1024

interface Draft {
  resource: string
  folderId?: string | undefined
}

interface Picture {
  name: string
  arrival: StoredUpload
}

/** Fetched immediately, so that later publishing doesn't depend on an external server. */
export async function fetchPicture(io: ExternalIo, { resource, folderId = '' }: Draft): Promise<Picture> {
  const { accountId, files, now, step } = io
  if (folderId) await step((context) => requireFolder(context, folderId))
  const id = newId(mediaIds.upload, now)
  try {
    const name = await whileCallerWaits(accountId, () => bring(io, id, resource))
    const stored = await takeIn(files, step, { accountId, id })
    if (stored.probe.kind === 'image') return { name, arrival: stored }
    await step((context) => release(context, stored))
    throw new UnusableFile('Only images can be added by their address; use POST /upload.')
  } catch (error) {
    if (error instanceof UnusableFile || error instanceof OutboundFailure)
      throw invalid(`resource cannot be used. ${error.message}`)
    throw error
  } finally {
    await files.spool.remove(id)
  }
}

export async function create(context: Context, { resource, folderId = '' }: Draft, { name, arrival: stored }: Picture) {
  // It may have been deleted during the download.
  if (folderId) await requireFolder(context, folderId)
  return shown(context, await makeAsset(context, stored, { name, folderId: folderId || null, source: resource }))
}

/** Downloads into the spool; returns the image's name. */
async function bring({ outbound, files }: ExternalIo, id: string, url: string): Promise<string> {
  const request = { method: 'GET' as const, url, redirects: 3, maximumBytes, timeoutMs: 15_000 }
  const { status, headers, body } = await outbound.stream(request)
  if (status !== 200) throw new UnusableFile(`The server answered ${status} instead of the image.`)
  await files.spool.append(id, 0, body, maximumBytes)
  return nameIn(url, headers) ?? 'image'
}
