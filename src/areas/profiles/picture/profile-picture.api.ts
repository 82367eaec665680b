import { z } from 'zod'
import { missing } from '#kernel/errors.ts'
import type { Download, DownloadRoute } from '#kernel/http/route/download-route.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Pictures } from '#kernel/pictures.ts'
import * as params from '#kernel/wire/params.ts'
import { profileKey } from '../declarations.ts'

const pictureParams = z.object({ id: params.pathId(profileKey) })

export const profilePicture: Download = {
  operationId: 'getProfilePicture',
  path: '/picture/profile/{id}',
  summary: 'Get the picture of a social profile through the service',
  needs: 'read',
  params: pictureParams,
  type: 'image/webp',
}

const day = 24 * 60 * 60
/** Twice the displayed size, for high-density screens. */
const width = 96

export const pictureRoute = ({ database }: Pick<Installation, 'database'>, pictures: Pictures): DownloadRoute => ({
  ...profilePicture,
  async open({ accountId }, { id }: z.output<typeof pictureParams>) {
    const profile = await database
      .forAccount(accountId)
      .selectFrom('credentials')
      .select('imageLink')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where('deleted', 'is', null)
      .executeTakeFirst()
    if (!profile?.imageLink) throw missing('Picture')
    const { imageLink: key } = profile
    const body = await pictures.get({ accountId, key, open: pictures.from(key) }, { width })
    if (!body) throw missing('Picture')
    return { body, keepSeconds: day }
  },
})
