import { timingSafeEqual } from 'node:crypto'
import type { Db } from '#kernel/database/database.ts'
import { missing } from '#kernel/errors.ts'
import type { FileRoute } from '#kernel/http/route/file-route.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Log } from '#kernel/log.ts'
import { jpegName, renditionsOf } from '../rendition/rendition-row.ts'
import { isDamage, keyOf, verified } from '../storing/stored-file.ts'

/** Assets and renditions at their `Resource` URLs. */
export const mediaFiles = ({
  database,
  files,
  log,
}: Pick<Installation, 'database' | 'files'> & { log: Log }): FileRoute => ({
  path: '/media/{account}/{id}/{token}/{name}',
  async find({ account = '', id = '', token = '' }) {
    const db = database.forAnybody(account)
    const asset = await db
      .selectFrom('media')
      .select(['token', 'digest', 'size', 'mimeType', 'name'])
      .where('accountId', '=', account)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!asset) return undefined
    const file = same(asset.token, token)
      ? asset
      : await jpegOf(db, { accountId: account, id, name: asset.name }, token)
    if (!file) return undefined
    const key = keyOf(account, file.digest)
    const { digest, size: bytes } = file
    const report = (about: object) =>
      log.error({ account, media: id, key, ...about }, 'a stored file is damaged or gone')
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
        return reported(from === 0 && to === bytes ? verified(source, { digest, bytes }) : source, report)
      },
    }
  },
})

async function jpegOf(db: Db, asset: { accountId: string; id: string; name: string }, token: string) {
  const rendition = (await renditionsOf(db, asset)).find((one) => same(one.token, token))
  return rendition && { ...rendition, mimeType: 'image/jpeg', name: jpegName(asset.name) }
}

async function* reported(source: AsyncIterable<Uint8Array>, report: (about: object) => void) {
  try {
    yield* source
  } catch (error) {
    report({ err: error })
    throw isDamage(error) ? missing('File') : error
  }
}

function same(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
