import { timingSafeEqual } from 'node:crypto'
import type { FileRoute } from '#kernel/http/file-route.ts'
import type { Surroundings } from '#kernel/surroundings.ts'
import { keyOf } from '../storing/stored-file.ts'

/** Assets, at the addresses that `Resource` names. */
export const mediaFiles = ({ database, files }: Pick<Surroundings, 'database' | 'files'>): FileRoute => ({
  path: '/media/{account}/{id}/{token}/{name}',
  async find({ account = '', id = '', token = '' }) {
    const asset = await database
      .forAccount(account)
      .selectFrom('media')
      .select(['token', 'digest', 'size', 'mimeType', 'name'])
      .where('accountId', '=', account)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!asset || !same(asset.token, token)) return undefined
    const key = keyOf(account, asset.digest)
    return {
      bytes: asset.size,
      mime: asset.mimeType,
      tag: asset.digest,
      inline: asset.mimeType !== 'application/pdf',
      name: asset.name,
      read: (from, to) => files.store.read(key, from, to),
    }
  },
})

function same(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
