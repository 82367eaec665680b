import type { Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import type { MediaRenditions } from '#kernel/database/tables.ts'
import type { Bounds } from './fitting.ts'

export type Rendition = Selectable<MediaRenditions>

interface Picture {
  accountId: string
  id: string
}

/** The one for these bounds, if it was made already. */
export const findRendition = (db: Db, asset: Picture, { maxBytes, maxWidth }: Bounds) =>
  allOf(db, asset).where('maxBytes', '=', maxBytes).where('maxWidth', '=', maxWidth).executeTakeFirst()

export const renditionsOf = (db: Db, asset: Picture) => allOf(db, asset).execute()

/** Forgets the renditions of assets that are being deleted; gives the content of each, to be let go. */
export async function dropRenditions({ db, accountId }: Context, mediaIds: readonly string[]): Promise<string[]> {
  const dropped = await db
    .deleteFrom('mediaRenditions')
    .where('accountId', '=', accountId)
    .where('mediaId', 'in', mediaIds)
    .returning('digest')
    .execute()
  return dropped.map(({ digest }) => digest)
}

/** What people see of it: the name of its picture with the right ending. */
export const jpegName = (name: string) => `${name.replace(/\.(png|gif|jpe?g)$/i, '')}.jpg`

const allOf = (db: Db, { accountId, id }: Picture) =>
  db.selectFrom('mediaRenditions').selectAll().where('accountId', '=', accountId).where('mediaId', '=', id)
