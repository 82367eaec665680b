import type { Context } from '#kernel/context.ts'

/** Makes the account the context stands for. Its first user is created like any other. */
export const create = ({ db, accountId, now }: Context, { name }: { name: string }) =>
  db.insertInto('accounts').values({ id: accountId, created: now, modified: now, name }).execute()

export async function exists({ db, accountId }: Context): Promise<boolean> {
  return Boolean(await db.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst())
}
