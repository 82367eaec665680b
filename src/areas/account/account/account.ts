import { emit } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'

/** Makes the account the context stands for. Its first user is created like any other. */
export async function create(context: Context, { name }: { name: string }) {
  const { db, accountId, now } = context
  await db.insertInto('accounts').values({ id: accountId, created: now, modified: now, name }).execute()
  await emit(context, 'accountCreated', {})
}

export async function exists({ db, accountId }: Context): Promise<boolean> {
  return Boolean(await db.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst())
}
