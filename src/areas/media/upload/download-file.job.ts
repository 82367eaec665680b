import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import { UnusableFile } from '#kernel/media-inspector/inspection.ts'
import { QuotaExceeded } from '#kernel/quotas/quotas.ts'
import { download } from '../download/download.ts'
import { DownloadFailed } from '../download/download-rules.ts'
import type { SourceHead } from '../download/source-head.ts'
import { takeIn } from '../storing/intake.ts'
import { changeUpload, complete, downloadFile, fail, get, reserve, type Upload } from './upload.ts'

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
  const kept = (downloaded: number, head: SourceHead) =>
    context.transaction(accountId, (inside) => note(inside, upload, context.attempt, downloaded, head))
  await download({ outbound, clock, spool: files.spool }, order, kept, context.signal)
  return takeIn(files, (work) => context.transaction(accountId, work), { accountId, id, claimed })
}

/** Written after every chunk: progress, and actual bytes against the daily quota. */
async function note(context: Context, upload: Upload, attempts: number, downloaded: number, head: SourceHead) {
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
