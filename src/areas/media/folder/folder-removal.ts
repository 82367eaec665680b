import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { missing } from '#kernel/errors.ts'
import { removeAll } from '../asset/asset.ts'
import { notifyFoldersChanged } from '../media-changes.ts'
import { requireLibrary, visible } from './folder.ts'

/** Deletes a folder with all contents; an asset in use blocks everything. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  await requireLibrary(context)
  // Locked, so that a concurrent deletion finds nothing.
  const folder = await visible(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('mediaFolders', 'update'))
    .executeTakeFirst()
  if (!folder) throw missing('Folder')
  const { rows } = await sql<{ id: string; folderId: string | null; depth: number }>`
    with recursive tree as (
      select id, folder_id, 0 as depth from media_folders where account_id = ${accountId} and id = ${id}
      union all select f.id, f.folder_id, t.depth + 1 from media_folders f join tree t on f.folder_id = t.id where f.account_id = ${accountId})
    select id, folder_id, depth from tree order by depth desc`.execute(db)
  const folders = rows.map((row) => row.id)
  const assets = await db
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where('folderId', 'in', folders)
    .execute()
  context.about({ count: folders.length + assets.length })
  await removeAll(
    context,
    assets.map((asset) => asset.id),
  )
  await db.deleteFrom('mediaFolders').where('accountId', '=', accountId).where('id', 'in', folders).execute()
  notifyFoldersChanged(context, rows)
}
