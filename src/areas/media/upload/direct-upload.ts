import type { Visitor } from '#kernel/caller.ts'
import { change } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import type { Step } from '#kernel/external-io.ts'
import type { Identity } from '#kernel/identities.ts'
import { newId } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import { UnusableFile } from '#kernel/media-inspector/inspection.ts'
import { QuotaExceeded, reserveQuota } from '#kernel/quotas/quotas.ts'
import { mediaIds, mediaQuotas } from '../declarations.ts'
import { storeSpooled } from '../file/stored-file.ts'
import { requireFolder } from '../folder/folder.ts'
import { addUpload, changeUpload, complete, fail, reserve, type Upload, underWay } from './upload.ts'

interface Draft {
  name: string
  size: number
  mimeType?: string | undefined
  folderId?: string | undefined
}

/** Starts a chunked upload from a browser. */
export async function begin(context: Context, { name, size, mimeType = '', folderId = '' }: Draft) {
  const { accountId, userId, now } = context
  if (folderId) await requireFolder(context, folderId)
  const id = newId(mediaIds.upload, now)
  await reserveQuota(context, mediaQuotas.uploads, underWay(context))
  await reserve(context, { id, bytes: size })
  const made = { accountId, id, created: now, modified: now, createdBy: userId, source: '', reserved: size }
  const row = { ...made, name, mimeType, totalSize: size, folderId: folderId || null }
  return addUpload(context, row)
}

export async function get(context: Context, { id }: { id: string }) {
  const upload = await own(context).where('id', '=', id).executeTakeFirst()
  if (!upload) throw missing('Upload')
  return upload
}

type Sender = Identity & { visitor: Visitor }

interface Addition {
  id: string
  offset: string
  read(): Promise<readonly Buffer[]>
}

/** Returns the next offset, and the asset once the file is complete. */
export async function add(installation: Installation, sender: Sender, { id, offset, read }: Addition) {
  const { files, clock } = installation
  const as: Step = (work) => change(installation, { ...sender, now: clock.now(), auditEntry: undefined }, work)
  const upload = await as((context) => get(context, { id }))
  if (upload.status !== 'pending') throw conflict('The file is complete or was given up; nothing can be added to it.')
  if (!/^\d{1,11}$/.test(offset)) throw invalid('offset must be the number of bytes sent before this piece.')
  const size = await files.spool.append(id, Number(offset), inLargerPieces(await read()), upload.totalSize)
  if (size < upload.totalSize) {
    await as((context) => changeUpload(context, upload, { downloaded: size }))
    return { offset: size, mediaId: null }
  }
  return { offset: size, mediaId: await finish(installation, sender, as, upload) }
}

async function finish(installation: Installation, sender: Sender, as: Step, upload: Upload): Promise<string> {
  const { files, clock } = installation
  const { accountId, id, mimeType } = upload
  try {
    const stored = await storeSpooled(files, as, { accountId, id, ...(mimeType && { claimed: mimeType }) })
    // Of all chunks the audit log records the last one, which creates the asset.
    const auditEntry = { operation: 'PUT /app/api/media/{id}', fields: [] }
    const media = await change(installation, { ...sender, now: clock.now(), auditEntry }, async (context) => {
      const made = await complete(context, upload, stored)
      context.about({ id: made.id })
      return made
    })
    return media.id
  } catch (error) {
    if (!(error instanceof UnusableFile || error instanceof QuotaExceeded)) throw error
    await as((context) => fail(context, upload, error.message))
    await files.spool.remove(id)
    throw error instanceof QuotaExceeded ? error : invalid(error.message)
  }
}

/** Uploads are visible to their user only. */
const own = ({ db, accountId, userId }: Context) =>
  db
    .selectFrom('uploads')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('createdBy', '=', userId)
    .where('source', '=', '')

/** Network reads are small; each would be a separate write. */
async function* inLargerPieces(chunks: readonly Buffer[]) {
  for (let start = 0; start < chunks.length; start += together)
    yield Buffer.concat(chunks.slice(start, start + together))
}

const together = 8
