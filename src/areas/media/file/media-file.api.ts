import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Db } from '#kernel/database/database.ts'
import { missing } from '#kernel/errors.ts'
import type { Download, DownloadRoute } from '#kernel/http/route/download-route.ts'
import type { FileRoute } from '#kernel/http/route/file-route.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Log } from '#kernel/log.ts'
import type { Pictures } from '#kernel/pictures.ts'
import * as params from '#kernel/wire/params.ts'
import { mediaIds } from '../declarations.ts'
import { jpegName, renditionsOf } from '../rendition/rendition.ts'
import { isDamage, keyOf, verified } from './stored-file.ts'

/** Assets and renditions at their `Resource` URLs. */
export const mediaFiles = ({
  database,
  files,
  log,
}: Pick<Installation, 'database' | 'files'> & { log: Log }): FileRoute => ({
  path: '/media/{account}/{id}/{token}/{name}',
  async find({ account = '', id = '', token = '' }) {
    const db = database.forUnauthenticated(account)
    const asset = await db
      .selectFrom('media')
      .select(['token', 'digest', 'size', 'mimeType', 'name'])
      .where('accountId', '=', account)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!asset) return undefined
    const file = isSame(asset.token, token)
      ? asset
      : await jpegOf(db, { accountId: account, id, name: asset.name }, token)
    if (!file) return undefined
    const key = keyOf(account, file.digest)
    const { digest, size: bytes } = file
    const report = (details: object) =>
      log.error({ account, media: id, key, ...details }, 'a stored file is damaged or gone')
    // Before the first byte, for HEAD and GET: damaged files are not found.
    const found = await files.store.size(key)
    if (found !== bytes) {
      report({ expected: bytes, found })
      return undefined
    }
    return {
      bytes,
      mime: file.mimeType,
      tag: digest,
      inline: file.mimeType !== 'application/pdf',
      name: file.name,
      read(from, to) {
        const source = files.store.read(key, from, to)
        return reportingDamage(from === 0 && to === bytes ? verified(source, { digest, bytes }) : source, report)
      },
    }
  },
})

async function jpegOf(db: Db, asset: { accountId: string; id: string; name: string }, token: string) {
  const rendition = (await renditionsOf(db, asset)).find((one) => isSame(one.token, token))
  return rendition && { ...rendition, mimeType: 'image/jpeg', name: jpegName(asset.name) }
}

async function* reportingDamage(source: AsyncIterable<Uint8Array>, report: (details: object) => void) {
  try {
    yield* source
  } catch (error) {
    report({ err: error })
    throw isDamage(error) ? missing('File') : error
  }
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const previewParams = z.object({ id: params.pathId(mediaIds.media) })

export const mediaPreview: Download = {
  path: '/media/{id}/preview',
  summary: 'Get a small preview of an image',
  needs: 'read',
  params: previewParams,
  type: 'image/webp',
}

const day = 24 * 60 * 60

/** Small enough for a grid of hundreds, whatever the image's size. */
const width = 480

export const previewRoute = (
  { database, files }: Pick<Installation, 'database' | 'files'>,
  pictures: Pictures,
): DownloadRoute => ({
  ...mediaPreview,
  async open({ accountId }, { id }: z.output<typeof previewParams>) {
    const asset = await database
      .forAccount(accountId)
      .selectFrom('media')
      .select(['digest', 'mimeType'])
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!asset?.mimeType.startsWith('image/')) throw missing('Picture')
    const key = keyOf(accountId, asset.digest)
    const source = { accountId, key, open: async () => files.store.read(key) }
    const body = await pictures.get(source, { width, lasts: true })
    if (!body) throw missing('Picture')
    return { body, keepSeconds: 30 * day }
  },
})
