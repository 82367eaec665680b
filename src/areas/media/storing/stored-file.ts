import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { enqueue } from '#kernel/jobs/queue.ts'

interface Content {
  digest: string
  bytes: number
}

/** Content that was announced: it counts as used, and nobody removes it. */
export interface Held extends Content {
  holdId: string
}

/** The key of an account's file; accounts share nothing, not even equal files. */
export const keyOf = (accountId: string, digest: string) => `${accountId}/${digest}`

/** Says what is about to be put into the store. It counts as used until it is kept, or until a day later: after a crash. */
export async function hold({ db, accountId, now }: Context, { digest, bytes }: Content): Promise<Held> {
  const counted = await db
    .insertInto('storedFiles')
    .values({ accountId, digest, bytes, uses: 1 })
    .onConflict((on) =>
      on
        .columns(['accountId', 'digest'])
        .doUpdateSet({ uses: sql`stored_files.uses + 1` })
        .where('storedFiles.removing', '=', sql.lit(false)),
    )
    .returning('digest')
    .executeTakeFirst()
  if (!counted) throw conflict('The same file is just being deleted elsewhere. Try again in a moment.')
  const holdId = randomUUID()
  await db.insertInto('fileHolds').values({ accountId, id: holdId, digest, created: now }).execute()
  return { digest, bytes, holdId }
}

/** The content, which lies in the store by now, is from here on that of one asset or rendition. */
export async function keep(context: Context, held: Held) {
  if (!(await endHold(context, held))) throw conflict('The file was too long on its way. Try again.')
}

/** Nothing comes of what was announced. */
export async function release(context: Context, held: Held) {
  if (await endHold(context, held)) await letGo(context, [held.digest])
}

/** False when it was given up meanwhile. */
async function endHold({ db, accountId }: Context, { holdId }: Held): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('fileHolds')
    .where('accountId', '=', accountId)
    .where('id', '=', holdId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

const day = 24 * 60 * 60 * 1000

/** Gives up what was announced and never kept. */
export async function releaseOldHolds(context: Context) {
  const { db, accountId, now } = context
  const old = await db
    .deleteFrom('fileHolds')
    .where('accountId', '=', accountId)
    .where('created', '<', new Date(now.getTime() - day))
    .returning('digest')
    .execute()
  await letGo(
    context,
    old.map(({ digest }) => digest),
  )
}

export const removeFile = { name: 'media.remove-file', queue: 'housekeeping' } as const

/** Counts one asset less for each; content that no asset has any more is removed once the change stands. */
export async function letGo(context: Context, digests: readonly string[]) {
  const { db, accountId } = context
  for (const digest of digests) {
    const left = await db
      .updateTable('storedFiles')
      .set(({ eb }) => ({ uses: eb('uses', '-', 1) }))
      .where('accountId', '=', accountId)
      .where('digest', '=', digest)
      .returning('uses')
      .executeTakeFirst()
    if (left?.uses === 0) await removeContent(context, digest)
  }
}

/** Only if nothing uses it when the time comes. */
const removeContent = (context: Context, digest: string) => {
  const { accountId } = context
  return enqueue(context, removeFile, { accountId, digest }, { key: `${accountId}/${digest}` })
}
