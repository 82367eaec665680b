import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'

/** Says that something needs assets, and what to tell who wants to delete one; what it held before is let go. */
export async function holdMedia(context: Context, holder: string, mediaIds: readonly string[], what: string) {
  const { db, accountId } = context
  await releaseMedia(context, holder)
  if (mediaIds.length === 0) return
  const rows = [...new Set(mediaIds)].map((mediaId) => ({ accountId, mediaId, holder, what }))
  await db.insertInto('mediaHolds').values(rows).execute()
}

export const releaseMedia = (context: Context, holder: string) => releaseAllMedia(context, [holder])

export async function releaseAllMedia({ db, accountId }: Context, holders: readonly string[]) {
  if (holders.length === 0) return
  await later(db, sql`delete from media_holds where account_id = ${accountId} and holder = any (${holders})`)
}
