import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Media, MediaRenditions } from '#kernel/database/tables.ts'
import { conflict, Refusal } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import type { Files, Installation } from '#kernel/installation.ts'
import { UnusableFile } from '#kernel/media-inspector/inspection.ts'
import { moveFromSpool } from '#kernel/storage/spool.ts'
import type { ImageRule } from '#networks/content/content.ts'
import { scaleToFit } from '#networks/content/media-check.ts'
import { mediaIds } from '../declarations.ts'
import { type Held, hold, inOneChunk, keep, keyOf, newToken, release } from '../file/stored-file.ts'

export type Rendition = Selectable<MediaRenditions>

/** JPEG of an image within these bounds, created on first use. */
export async function renditionOf(
  installation: Installation,
  asset: Selectable<Media>,
  bounds: Bounds,
): Promise<Rendition> {
  const { accountId, id } = asset
  const known = await findRendition(installation.database.forAccount(accountId), asset, bounds)
  const key = `${accountId}/${id}/${bounds.maxBytes}/${bounds.maxWidth}`
  return known ?? once(installation.database, key, () => makeRendition(installation, asset, bounds))
}

const inProgress = new WeakMap<Database, Map<string, Promise<Rendition>>>()

/** Concurrent sends of the same post share one conversion; other processes are coordinated by the database. */
function once(database: Database, key: string, make: () => Promise<Rendition>): Promise<Rendition> {
  const making = inProgress.get(database) ?? new Map<string, Promise<Rendition>>()
  inProgress.set(database, making)
  const begun = making.get(key) ?? make().finally(() => making.delete(key))
  making.set(key, begun)
  return begun
}

type Asset = Selectable<Media>

/** Error for an asset deleted while in use. */
export const assetDeleted = (id: string) =>
  conflict(`The media asset ${id} does not exist any more. Take it out of the post, or choose another one.`)

/** Converts an image, stores the result and records it; of concurrent writers the first wins. */
async function makeRendition(installation: Installation, asset: Asset, bounds: Bounds): Promise<Rendition> {
  const { files, clock } = installation
  const { accountId } = asset
  const as = <Result>(work: (context: Context) => Promise<Result>) =>
    change(installation, systemActor(accountId, clock.now()), work)
  const id = newId(mediaIds.upload, clock.now())
  try {
    const jpeg = await convert(files, id, asset, bounds)
    const held = await as((context) => hold(context, jpeg)).catch(tryLater)
    await moveFromSpool(files.store, files.spool, id, keyOf(accountId, jpeg.digest), 'image/jpeg')
    return await as((context) => remember(context, asset, bounds, { ...jpeg, ...held }))
  } finally {
    await files.spool.remove(id)
  }
}

interface Jpeg {
  digest: string
  bytes: number
  width: number
  height: number
}

/** Spools the image for the inspector, then the result. */
async function convert({ store, spool, inspector }: Files, id: string, asset: Asset, bounds: Bounds): Promise<Jpeg> {
  try {
    await spool.append(id, 0, store.read(keyOf(asset.accountId, asset.digest)), asset.size)
    const jpeg = await inspector.toJpeg(asset.accountId, spool.path(id), bounds)
    await spool.truncate(id, 0)
    await spool.append(id, 0, inOneChunk(jpeg), jpeg.length)
    const probe = await inspector.probe(asset.accountId, spool.path(id))
    if (probe.kind !== 'image') throw new UnusableFile('What came of it is not a picture.')
    const { width, height } = probe
    return { digest: createHash('sha256').update(jpeg).digest('hex'), bytes: jpeg.length, width, height }
  } catch (error) {
    if (error instanceof UnusableFile)
      throw conflict(`"${asset.name}" cannot be made into a JPEG that the network takes. ${error.message}`)
    throw error
  }
}

async function remember(context: Context, { id: mediaId }: Asset, bounds: Bounds, jpeg: Jpeg & Held) {
  const { db, accountId, now: created } = context
  const { maxBytes, maxWidth } = bounds
  const { digest, bytes: size, width, height } = jpeg
  // Locked against deletion, and to see a concurrent result.
  const asset = await db
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', mediaId)
    .modifyEnd(lockRows('media', 'no key update'))
    .executeTakeFirst()
  if (!asset) throw assetDeleted(mediaId)
  const first = await findRendition(db, { accountId, id: mediaId }, bounds)
  if (first) {
    await release(context, jpeg)
    return first
  }
  await keep(context, jpeg).catch(tryLater)
  const row = { accountId, mediaId, maxBytes, maxWidth, created, digest, size, width, height, token: newToken() }
  return db.insertInto('mediaRenditions').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Equal content is being removed elsewhere: temporary, not an error of the post. */
function tryLater(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  throw new Refusal('unavailable', error.message, { retryAfter: 5, cause: error })
}

interface RenderedMedia {
  accountId: string
  id: string
}

/** An existing rendition for these bounds. */
const findRendition = (db: Db, asset: RenderedMedia, { maxBytes, maxWidth }: Bounds) =>
  allOf(db, asset).where('maxBytes', '=', maxBytes).where('maxWidth', '=', maxWidth).executeTakeFirst()

export const renditionsOf = (db: Db, asset: RenderedMedia) => allOf(db, asset).execute()

/** Deletes the renditions of assets to be deleted; returns their contents to be released. */
export async function dropRenditions({ db, accountId }: Context, mediaIds: readonly string[]): Promise<string[]> {
  const dropped = await db
    .deleteFrom('mediaRenditions')
    .where('accountId', '=', accountId)
    .where('mediaId', 'in', mediaIds)
    .returning('digest')
    .execute()
  return dropped.map(({ digest }) => digest)
}

/** File name with the right extension. */
export const jpegName = (name: string) => `${name.replace(/\.(png|gif|jpe?g)$/i, '')}.jpg`

const allOf = (db: Db, { accountId, id }: RenderedMedia) =>
  db.selectFrom('mediaRenditions').selectAll().where('accountId', '=', accountId).where('mediaId', '=', id)

/** Limits of a JPEG for a network. */
export interface Bounds {
  maxBytes: number
  maxWidth: number
}

type Picture = Pick<Selectable<Media>, 'mimeType' | 'size' | 'width' | 'height' | 'frames'>

/** Bounds of a JPEG; undefined if the image can stay unchanged, or is animated. */
export function jpegBounds(picture: Picture, rule: ImageRule | undefined): Bounds | undefined {
  const { mimeType, width, height, frames } = picture
  if (!rule || !mimeType.startsWith('image/') || (frames ?? 1) > 1 || !width || !height) return undefined
  const scale = scaleToFit(rule.sides, width, height)
  const maxWidth = Math.min(widthWithin(rule.maxPixels, width, height), Math.max(1, Math.floor(width * scale)))
  const isTaken = rule.mimes.includes(mimeType) && picture.size <= mostBytes(mimeType, rule) && maxWidth === width
  return isTaken ? undefined : { maxBytes: rule.maxBytes, maxWidth }
}

const mostBytes = (mimeType: string, { maxBytes, gif }: ImageRule) =>
  mimeType === 'image/gif' && gif ? gif.maxBytes : maxBytes

/** Height first: scaling rounds it, and it must not exceed the limit. */
function widthWithin(maxPixels = Number.POSITIVE_INFINITY, width: number, height: number): number {
  if (width * height <= maxPixels) return width
  const most = Math.max(1, Math.floor(Math.sqrt((maxPixels * height) / width)))
  return Math.max(1, Math.floor((most * width) / height))
}
