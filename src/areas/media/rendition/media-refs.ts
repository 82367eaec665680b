import type { Selectable } from 'kysely'
import type { Media } from '#kernel/database/tables.ts'
import type { Installation } from '#kernel/installation.ts'
import type { MediaRef } from '#networks/connector/draft.ts'
import type { Limits } from '#networks/content/content.ts'
import { fileUrl, keyOf, requireContent, verified } from '../file/stored-file.ts'
import { assetDeleted, type Bounds, jpegBounds, jpegName, renditionOf } from './rendition.ts'

type Asset = Selectable<Media>

/**
 * The assets in order, each in a form the network accepts; unsupported images become JPEGs.
 * With `whole`, damaged or missing files are rejected.
 */
export async function mediaRefs(
  installation: Installation,
  accountId: string,
  mediaIds: readonly string[],
  limits: Limits,
  options: { whole?: boolean } = {},
): Promise<MediaRef[]> {
  const assets = await find(installation, accountId, mediaIds)
  const refs: MediaRef[] = []
  // Sequential: the inspector opens one image at a time anyway.
  for (const asset of assets) refs.push(await refTo(installation, asset, limits, options.whole ?? false))
  return refs
}

async function find({ database }: Installation, accountId: string, mediaIds: readonly string[]): Promise<Asset[]> {
  if (mediaIds.length === 0) return []
  const rows = await database
    .forAccount(accountId)
    .selectFrom('media')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', mediaIds)
    .execute()
  const found = new Map(rows.map((asset) => [asset.id, asset]))
  return mediaIds.map((id) => {
    const asset = found.get(id)
    if (!asset) throw assetDeleted(id)
    return asset
  })
}

async function refTo(
  installation: Installation,
  asset: Asset,
  { images, altText }: Limits,
  whole: boolean,
): Promise<MediaRef> {
  const { store } = installation.files
  if (whole) await requireContent(store, asset, { digest: asset.digest, bytes: asset.size })
  const bounds = jpegBounds(asset, images.rule)
  const served = bounds ? await asJpeg(installation, asset, bounds) : asset
  const { id, accountId, description } = asset
  const { name, token, mimeType: mime, size: bytes, width, height, durationMs } = served
  const key = keyOf(accountId, served.digest)
  const claim = { digest: served.digest, bytes }
  if (whole && served !== asset) await requireContent(store, asset, claim)
  return {
    id,
    mime,
    bytes,
    publicUrl: fileUrl(installation.publicUrl(), { accountId, id, token, name }),
    name,
    alt: cut(description, altText) || undefined,
    width: width ?? undefined,
    height: height ?? undefined,
    durationMs: durationMs ?? undefined,
    open(from = 0, to = bytes) {
      const source = store.read(key, from, to)
      return from === 0 && to === bytes ? verified(source, claim) : source
    },
  }
}

async function asJpeg(installation: Installation, asset: Asset, bounds: Bounds) {
  const rendition = await renditionOf(installation, asset, bounds)
  return { ...rendition, name: jpegName(asset.name), mimeType: 'image/jpeg', durationMs: null }
}

/** Networks count UTF-16 code units; never splits a surrogate pair. */
const cut = (text: string, most = text.length) => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
