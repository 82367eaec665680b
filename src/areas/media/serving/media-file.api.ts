import { timingSafeEqual } from 'node:crypto'
import type { Db } from '#kernel/database/database.ts'
import type { FileRoute } from '#kernel/http/file-route.ts'
import type { Surroundings } from '#kernel/surroundings.ts'
import { jpegName, renditionsOf } from '../rendition/rendition-row.ts'
import { keyOf } from '../storing/stored-file.ts'

/** Assets, at the addresses that `Resource` names, and what was made of them for networks. */
export const mediaFiles = ({ database, files }: Pick<Surroundings, 'database' | 'files'>): FileRoute => ({
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
    return {
      bytes: file.size,
      mime: file.mimeType,
      tag: file.digest,
      inline: file.mimeType !== 'application/pdf',
      name: file.name,
      read: (from, to) => files.store.read(key, from, to),
    }
  },
})

async function jpegOf(db: Db, asset: { accountId: string; id: string; name: string }, token: string) {
  const rendition = (await renditionsOf(db, asset)).find((one) => same(one.token, token))
  return rendition && { ...rendition, mimeType: 'image/jpeg', name: jpegName(asset.name) }
}

function same(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
