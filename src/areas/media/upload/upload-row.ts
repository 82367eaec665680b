import type { Insertable, Selectable, UpdateObject } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { DB, Uploads } from '#kernel/database/tables.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { isId } from '#kernel/ids.ts'

export type Upload = Selectable<Uploads>

/** The two ways to write an upload: whoever looks at it hears of both. */
export async function addUpload(context: Context, row: Insertable<Uploads>): Promise<Upload> {
  const upload = await context.db.insertInto('uploads').values(row).returningAll().executeTakeFirstOrThrow()
  hintUpload(context, upload)
  return upload
}

export async function changeUpload(context: Context, upload: Upload, changes: UpdateObject<DB, 'uploads'>) {
  await context.db
    .updateTable('uploads')
    .set({ ...changes, modified: context.now })
    .where('accountId', '=', upload.accountId)
    .where('id', '=', upload.id)
    .execute()
  hintUpload(context, upload)
}

const hintUpload = ({ hint }: Context, upload: Upload) => hint({ kind: 'upload', id: upload.id, ...placeOf(upload) })

export const watchedUploads: Watched = {
  kind: 'upload',
  isId: (id) => isId('upload', id),
  async find({ db, accountId, userId }, id) {
    const upload = await db
      .selectFrom('uploads')
      .select(['source', 'createdBy', 'folderId'])
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where(({ or, eb }) => or([eb('source', '<>', ''), eb('createdBy', '=', userId)]))
      .executeTakeFirst()
    return upload && placeOf(upload)
  },
}

/** What a browser sends itself has no source and is the business of whoever began it. */
const placeOf = ({ source, createdBy, folderId }: Pick<Upload, 'source' | 'createdBy' | 'folderId'>) => ({
  parent: folderId,
  scope: source === '' ? createdBy : null,
})
