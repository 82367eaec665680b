import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { enqueue } from '#kernel/jobs/enqueue.ts'

interface Content {
  digest: string
  bytes: number
}

/** The key of an account's file; accounts share nothing, not even equal files. */
export const keyOf = (accountId: string, digest: string) => `${accountId}/${digest}`

/** Counts one more asset or rendition with this content, which must be in the store already. */
export async function keep({ db, accountId, files }: Context, { digest, bytes }: Content) {
  const kept = await db
    .insertInto('storedFiles')
    .values({ accountId, digest, bytes, uses: 1 })
    .onConflict((on) =>
      on
        .columns(['accountId', 'digest'])
        .doUpdateSet({ uses: sql`stored_files.uses + 1` })
        .where('storedFiles.removing', '=', sql.lit(false)),
    )
    .returning('uses')
    .executeTakeFirst()
  // From here on nobody removes it; whether somebody has done so just before must be seen.
  if (!kept || (await files.store.size(keyOf(accountId, digest))) !== bytes) throw justRemoved()
}

const justRemoved = () => conflict('The same file is just being deleted elsewhere. Try again in a moment.')

export const removeFileJob = { name: 'remove-file', queue: 'housekeeping' } as const

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

const hour = 60 * 60 * 1000

/** Says what is about to be put into the store; if nobody counts it within the hour, as after a crash, it is removed again. */
export async function expectContent(context: Context, { digest, bytes }: Content) {
  const { db, accountId, now } = context
  await db
    .insertInto('storedFiles')
    .values({ accountId, digest, bytes, uses: 0 })
    .onConflict((on) => on.columns(['accountId', 'digest']).doNothing())
    .execute()
  await removeContent(context, digest, new Date(now.getTime() + hour))
}

/** Only if no asset has it when the time comes. */
const removeContent = (context: Context, digest: string, due = context.now) => {
  const { accountId } = context
  return enqueue(context, removeFileJob, { accountId, digest }, { key: `${accountId}/${digest}`, due })
}
