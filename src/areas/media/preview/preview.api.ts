import { z } from 'zod'
import { missing } from '#kernel/errors.ts'
import type { Download, DownloadRoute } from '#kernel/http/route/download-route.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Pictures } from '#kernel/pictures.ts'
import * as params from '#kernel/wire/params.ts'
import { mediaIds } from '../declarations.ts'
import { keyOf } from '../storing/stored-file.ts'

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
