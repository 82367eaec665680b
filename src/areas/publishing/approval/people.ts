import type { Context } from '#kernel/context.ts'

/** The people of items and notes, also those who were deleted since. */
export async function authorsOf({ db, accountId }: Context, ids: readonly string[]) {
  if (ids.length === 0) return []
  return db
    .selectFrom('users')
    .select(['id', 'created', 'name', 'email', 'lastLogin'])
    .where('accountId', '=', accountId)
    .where('id', 'in', [...new Set(ids)])
    .execute()
}
