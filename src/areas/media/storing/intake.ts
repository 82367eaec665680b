import type { Context } from '#kernel/context.ts'
import type { Step } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import type { Files } from '#kernel/installation.ts'
import { agreeing, type Inspection, UnusableFile } from '#kernel/media-inspector/inspection.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { moveFromSpool } from '#kernel/storage/spool.ts'
import { mediaIds, mediaQuotas } from '../declarations.ts'
import { notifyMediaChanged } from '../media-changes.ts'
import { type Held, hold, keep, keyOf, newToken } from './stored-file.ts'

/** A complete, valid and stored file. */
export interface StoredUpload extends Held {
  probe: Inspection
}

/** Inspects a spooled file and stores it; rejects unusable files. */
export async function takeIn(
  { spool, store, inspector }: Files,
  step: Step,
  { accountId, id, claimed }: { accountId: string; id: string; claimed?: string },
): Promise<StoredUpload> {
  const bytes = await spool.size(id)
  if (bytes === 0) throw new UnusableFile('The file is empty.')
  const probe = await inspector.probe(accountId, spool.path(id))
  if (claimed && !agreeing(claimed, probe.mime))
    throw new UnusableFile(`The file is ${names[probe.mime]}, not ${claimed} as was said.`)
  const digest = await spool.digest(id)
  const held = await step((context) => hold(context, { digest, bytes }))
  await moveFromSpool(store, spool, id, keyOf(accountId, digest), probe.mime)
  return { ...held, probe }
}

const names: { [mime in Inspection['mime']]: string } = {
  'image/jpeg': 'a JPEG image',
  'image/png': 'a PNG image',
  'image/gif': 'a GIF image',
  'video/mp4': 'an MP4 video',
  'application/pdf': 'a PDF',
}

interface Description {
  name: string
  folderId: string | null
  /** For an image fetched from a URL. */
  source?: string
}

export async function makeAsset(
  context: Context,
  { probe, ...held }: StoredUpload,
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
    type: source === undefined ? kinds[probe.kind] : ('ImageUrl' as const),
    name,
    mimeType: probe.mime,
    size: bytes,
    folderId,
    digest,
    token: newToken(),
    source: source ?? '',
    ...measures(probe),
  }
  notifyMediaChanged(context, [row])
  return db.insertInto('media').values(row).returningAll().executeTakeFirstOrThrow()
}

const kinds = { image: 'Image', video: 'Video', pdf: 'PDF' } as const

function measures(probe: Inspection) {
  if (probe.kind === 'pdf') return { pages: probe.pages }
  const { width, height } = probe
  if (probe.kind === 'image') return { width, height, frames: probe.frames }
  const { durationMs, framesPerSecond = null, videoCodec = null, audioCodec = null } = probe
  return { width, height, durationMs: Math.round(durationMs), framesPerSecond, videoCodec, audioCodec }
}
