import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { mediaIds, mediaQuotas } from '../declarations.ts'
import { DownloadFailed } from '../download/download-rules.ts'
import { askHead, type SourceHead, whileCallerWaits } from '../download/source-head.ts'
import { requireFolder } from '../folder/folder.ts'
import { addUpload, reserve, underWay } from './upload.ts'

interface Draft {
  source: string
  name?: string | undefined
  mimeType?: string | undefined
  folderId?: string | undefined
}

export const downloadFile = { name: 'media.download-file', queue: 'downloads' } as const

/** Requests the source's metadata. */
export async function sourceHead(
  { accountId, outbound, step }: ExternalIo,
  { source, folderId }: Draft,
): Promise<SourceHead> {
  if (folderId) await step((context) => requireFolder(context, folderId))
  try {
    return await whileCallerWaits(accountId, () => askHead({ outbound }, source))
  } catch (error) {
    if (error instanceof DownloadFailed || error instanceof OutboundFailure)
      throw invalid(`source cannot be used. ${error.message}`)
    throw error
  }
}

/** Enqueues the download. */
export async function start(context: Context, draft: Draft, head: SourceHead) {
  const { accountId, userId, now } = context
  const name = draft.name ?? head.name
  if (!name) throw invalid('name must be given: it cannot be told from the source.')
  const mimeType = draft.mimeType ?? head.mimeType
  if (!mimeType) throw invalid('mimeType must be given: it cannot be told from the source.')
  if (draft.folderId) await requireFolder(context, draft.folderId)
  const id = newId(mediaIds.upload, now)
  await reserveQuota(context, mediaQuotas.uploads, underWay(context))
  await reserve(context, { id, bytes: head.totalSize })
  const row = {
    accountId,
    id,
    created: now,
    modified: now,
    createdBy: userId,
    name,
    mimeType,
    source: draft.source,
    totalSize: head.totalSize,
    reserved: head.totalSize,
    folderId: draft.folderId || null,
    etag: head.etag ?? null,
    lastModified: head.lastModified ?? null,
    acceptsRanges: head.acceptsRanges,
  }
  const upload = await addUpload(context, row)
  await enqueue(context, downloadFile, { accountId, id }, { key: id })
  return upload
}
