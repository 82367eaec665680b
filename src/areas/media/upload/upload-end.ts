import type { Context } from '#kernel/context.ts'
import { type Arrival, makeAsset } from '../storing/intake.ts'
import type { Upload } from './upload.ts'

/** The file is there: makes the asset, in the name of who asked for it. */
export async function complete(context: Context, upload: Upload, arrival: Arrival) {
  const { db, now } = context
  const { accountId, id, createdBy: userId, name } = upload
  const folderId = await presentFolder(context, upload)
  const asset = await makeAsset({ ...context, userId }, arrival, { name, folderId })
  await db
    .updateTable('uploads')
    .set({ status: 'complete', mediaId: asset.id, ...sizes(arrival), lastError: null, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  return asset
}

/** The day is charged with what really came. */
export async function fail({ db, now }: Context, { accountId, id }: Upload, sentence: string) {
  await db
    .updateTable('uploads')
    .set(({ ref }) => ({ status: 'failed' as const, lastError: sentence, reserved: ref('downloaded'), modified: now }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** The folder may have been deleted while the file was on its way; the file then comes to the top. */
async function presentFolder({ db }: Context, { accountId, folderId }: Upload): Promise<string | null> {
  if (folderId === null) return null
  const folder = await db
    .selectFrom('mediaFolders')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', folderId)
    .executeTakeFirst()
  return folder?.id ?? null
}

const sizes = ({ bytes }: Arrival) => ({ totalSize: bytes, downloaded: bytes, reserved: bytes })
