import type { Context } from '#kernel/context.ts'
import { invalid, Refusal } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { UnusableFile } from '#kernel/media-inspector/inspection.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import { QuotaExceeded, reserveQuota } from '#kernel/quotas/quotas.ts'
import { mediaIds, mediaQuotas } from '../declarations.ts'
import { download } from '../download/download.ts'
import { DownloadFailed } from '../download/download-rules.ts'
import { requestHead, type SourceHead, withRequestSlot } from '../download/source-head.ts'
import { storeSpooled } from '../file/stored-file.ts'
import { requireFolder } from '../folder/folder.ts'
import { addUpload, changeUpload, complete, fail, get, reserve, type Upload, underWay } from './upload.ts'

interface Draft {
  source: string
  name?: string | undefined
  mimeType?: string | undefined
  folderId?: string | undefined
}

const downloadFile = { name: 'media.download-file', queue: 'downloads' } as const

/** Requests the source's metadata. */
export async function sourceHead(
  { accountId, outbound, step }: ExternalIo,
  { source, folderId }: Draft,
): Promise<SourceHead> {
  if (folderId) await step((context) => requireFolder(context, folderId))
  try {
    return await withRequestSlot(accountId, () => requestHead({ outbound }, source))
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

interface Payload {
  accountId: string
  id: string
}

const second = 1000
const hour = 60 * 60 * second

/** Downloads the file of an upload and creates an asset; after a crash the next attempt resumes at the last complete chunk. */
export const downloadJob = (installation: Pick<Installation, 'outbound' | 'files' | 'clock'>): Job<Payload> =>
  job(downloadFile.name, {
    ...downloadFile,
    timeout: 24 * hour,
    // Chunks have their own retries; these are for internal errors.
    retryDelays: Array.from({ length: 20 }, (_, index) => Math.min(60, 2 ** index) * second),
    async run(context, { accountId, id }) {
      const upload = await context.transaction(accountId, (inside) => get(inside, { id }))
      if (upload.status !== 'pending') return
      try {
        const stored = await fetch(installation, context, upload)
        await context.complete(accountId, (inside) => complete(inside, upload, stored))
      } catch (error) {
        if (context.signal.aborted || !isFinal(error)) throw error
        await context.complete(accountId, (inside) => fail(inside, upload, error.message))
        await installation.files.spool.remove(id)
      }
    },
  })

async function fetch(installation: Parameters<typeof downloadJob>[0], context: JobContext, upload: Upload) {
  const { accountId, id, source: url, mimeType: claimed } = upload
  const { outbound, clock, files } = installation
  const order = { id, url, known: headIn(upload) }
  const onChunk = (downloaded: number, head: SourceHead) =>
    context.transaction(accountId, (inside) => recordProgress(inside, upload, context.attempt, downloaded, head))
  await download({ outbound, clock, spool: files.spool }, order, onChunk, context.signal)
  return storeSpooled(files, (work) => context.transaction(accountId, work), { accountId, id, claimed })
}

/** Written after every chunk: progress, and actual bytes against the daily quota. */
async function recordProgress(
  context: Context,
  upload: Upload,
  attempts: number,
  downloaded: number,
  head: SourceHead,
) {
  const { db, accountId } = context
  const { id } = upload
  const bytes = Math.max(downloaded, head.totalSize)
  const before = await db
    .selectFrom('uploads')
    .select('reserved')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  // A source may send more than it announced.
  if (bytes > (before?.reserved ?? 0)) await reserve(context, { id, bytes })
  await changeUpload(context, upload, {
    downloaded,
    attempts,
    totalSize: head.totalSize,
    reserved: Math.max(bytes, before?.reserved ?? 0),
    etag: head.etag ?? null,
    lastModified: head.lastModified ?? null,
    acceptsRanges: head.acceptsRanges,
  })
}

const headIn = ({ totalSize, etag, lastModified, acceptsRanges }: Upload): SourceHead => ({
  totalSize,
  acceptsRanges,
  ...(etag !== null && { etag }),
  ...(lastModified !== null && { lastModified }),
})

/** Permanent errors; all others are internal and retried. */
const isFinal = (error: unknown): error is Error =>
  error instanceof DownloadFailed ||
  error instanceof UnusableFile ||
  error instanceof QuotaExceeded ||
  (error instanceof Refusal && error.kind !== 'conflict')
