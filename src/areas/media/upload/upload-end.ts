import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Arrival, makeAsset } from '../storing/intake.ts'
import { changeUpload, type Upload } from './upload-row.ts'

/** The file is there: makes the asset, in the name of who asked for it. */
export async function complete(context: Context, upload: Upload, arrival: Arrival) {
  const { createdBy: userId, name } = upload
  const folderId = await presentFolder(context, upload)
  const asset = await makeAsset({ ...context, userId }, arrival, { name, folderId })
  await changeUpload(context, upload, { status: 'complete', mediaId: asset.id, ...sizes(arrival), lastError: null })
  return asset
}

/** The day is charged with what really came. */
export const fail = (context: Context, upload: Upload, sentence: string) =>
  changeUpload(context, upload, { status: 'failed', lastError: sentence, reserved: sql.ref<number>('downloaded') })

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
