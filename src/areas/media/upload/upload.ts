import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { acquireLock } from '#kernel/database/locks.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { DB, Uploads } from '#kernel/database/tables.ts'
import { invalid, missing, Refusal } from '#kernel/errors.ts'
import { createAsset } from '../asset/asset-create.ts'
import { mediaChanges, mediaIds } from '../declarations.ts'
import type { InspectedFile } from '../file/stored-file.ts'

export type Upload = Selectable<Uploads>

/** Both writers of uploads send change notifications. */
export async function addUpload(context: Context, row: Insertable<Uploads>): Promise<Upload> {
  const upload = await context.db.insertInto('uploads').values(row).returningAll().executeTakeFirstOrThrow()
  notifyUploadChanged(context, upload)
  return upload
}

export async function changeUpload(context: Context, upload: Upload, changes: UpdateObject<DB, 'uploads'>) {
  await context.db
    .updateTable('uploads')
    .set({ ...changes, modified: context.now })
    .where('accountId', '=', upload.accountId)
    .where('id', '=', upload.id)
    .execute()
  notifyUploadChanged(context, upload)
}

const notifyUploadChanged = ({ notifyChange }: Context, upload: Upload) =>
  notifyChange({ kind: mediaChanges.upload, id: upload.id, ...changeScope(upload) })

export const watchedUploads: PresenceKind = {
  kind: mediaChanges.upload,
  reference: mediaIds.upload,
  async find({ db, accountId, userId }, id) {
    const upload = await db
      .selectFrom('uploads')
      .select(['source', 'createdBy', 'folderId'])
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where(({ or, eb }) => or([eb('source', '<>', ''), eb('createdBy', '=', userId)]))
      .executeTakeFirst()
    return upload && changeScope(upload)
  },
}

/** Browser uploads have no source and are visible to their user only. */
const changeScope = ({ source, createdBy, folderId }: Pick<Upload, 'source' | 'createdBy' | 'folderId'>) => ({
  parent: folderId,
  scope: source === '' ? createdBy : null,
})

export async function get(context: Context, { id }: { id: string }) {
  const upload = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!upload) throw missing('Upload')
  return upload
}

interface Search {
  status?: Upload['status'] | undefined
  source?: string | undefined
  page: Page
}

export function search(context: Context, { status, source = '', page }: Search) {
  const matching = visible(context)
    .$if(status !== undefined, (rows) => rows.where('status', '=', status as Upload['status']))
    .$if(source !== '', (rows) => rows.where('source', '=', source))
  return paginate(matching, page)
}

/** Unfinished uploads of any kind. */
export const underWay = ({ db, accountId }: Context) =>
  db.selectFrom('uploads').where('accountId', '=', accountId).where('status', '=', 'pending')

/** Browser uploads have no source and belong to the console only. */
const visible = ({ db, accountId }: Context) =>
  db.selectFrom('uploads').selectAll().where('accountId', '=', accountId).where('source', '<>', '')

const GiB = 1024 ** 3
const day = 24 * 60 * 60 * 1000

export const largestFile = 8 * GiB
const largestDay = 32 * GiB

/** Reserves bytes of the account's daily quota; concurrent reservations are serialized. */
export async function reserve(context: Context, upload: { id: string; bytes: number }) {
  const { db, accountId, now } = context
  if (upload.bytes > largestFile) throw tooLarge(upload.bytes)
  await acquireLock(db, 'uploadsOfDay', accountId)
  const since = new Date(now.getTime() - day)
  const { rows } = await sql<{ used: number; oldest: Date | null }>`
    select coalesce(sum(reserved), 0)::bigint as used, min(created) as oldest from uploads
    where account_id = ${accountId} and created > ${since} and id <> ${upload.id}`.execute(db)
  const [{ used, oldest } = { used: 0, oldest: null }] = rows
  if (used + upload.bytes <= largestDay) return
  const retryAfter = oldest ? Math.max(1, Math.ceil((oldest.getTime() + day - now.getTime()) / 1000)) : 60
  const sentence = `The uploads of the last 24 hours would exceed 32 GiB: ${gib(used)} are used, the file has ${gib(upload.bytes)}.`
  throw new Refusal('limited', sentence, { retryAfter })
}

export const tooLarge = (bytes: number) => invalid(`A file may have at most 8 GiB; this one has ${gib(bytes)}.`)

const gib = (bytes: number) => `${(bytes / GiB).toFixed(2)} GiB`

/** Creates the asset on behalf of the requesting user. */
export async function complete(context: Context, upload: Upload, stored: InspectedFile) {
  const { createdBy: userId, name } = upload
  const folderId = await presentFolder(context, upload)
  const asset = await createAsset({ ...context, userId }, stored, { name, folderId })
  await changeUpload(context, upload, { status: 'complete', mediaId: asset.id, ...sizes(stored), lastError: null })
  return asset
}

/** The quota is charged with the actual bytes. */
export const fail = (context: Context, upload: Upload, sentence: string) =>
  changeUpload(context, upload, { status: 'failed', lastError: sentence, reserved: sql.ref<number>('downloaded') })

/** If the folder was deleted meanwhile, the file goes to the root. */
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

const sizes = ({ bytes }: InspectedFile) => ({ totalSize: bytes, downloaded: bytes, reserved: bytes })
